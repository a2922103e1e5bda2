import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataApp } from '../../../test/support/data-app.ts'
import { asForm, createRecord, readNames } from '../../../test/support/resources.ts'
import { tagsOf } from '../../../test/support/tags.ts'
import { testApp } from '../../../test/support/test-app.ts'

const pageHeaders = {
  accept: 'text/html',
  'content-type': 'application/x-www-form-urlencoded',
}

test('after the selected records of a filtered list are deleted, the same list is shown', async (t) => {
  const app = await testApp(t)
  for (const name of ['Rome', 'Paris', 'Oslo']) await createRecord(app, '/places', { name })
  const headers = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }
  const list = '/places?name%3Ane=Oslo&sort=name'
  const { body } = await app.inject({ url: list, headers })
  const action = tagsOf(body, 'form').find(({ id }) => id === 'bulk')?.action ?? ''
  const chosen = tagsOf(body, 'input').filter(({ name }) => name === 'delete')
  assert.equal(chosen.length, 2)
  const payload = new URLSearchParams({ delete: chosen[0]?.value ?? '' }).toString()
  const url = action.replaceAll('&amp;', '&')
  const response = await app.inject({ method: 'POST', url, headers, payload })
  assert.deepEqual([response.statusCode, response.headers.location], [303, list])
  assert.equal((await app.inject({ url: list, headers })).statusCode, 200)
  assert.equal(await readNames(app, '/places'), 'Rome Oslo')
})

test('a list with very many columns grows with their number, not with its square', async (t) => {
  const names = Array.from({ length: 400 }, (_, index) => `column${String(index)}`)
  const record = Object.fromEntries(names.map((name) => [name, 1]))
  const app = await dataApp(t, { wide: [{ id: 1, ...record }] })
  const lengthOf = async (count: number) => {
    const url = `/wide?fields=${names.slice(0, count).join(',')}`
    const { statusCode, body } = await app.inject({ url, headers: { accept: 'text/html' } })
    assert.equal(statusCode, 200)
    return body.length
  }
  assert.ok((await lengthOf(400)) < 3 * (await lengthOf(200)))
})

for (const dialect of ['0.17', '1'] as const) {
  test(`in ${dialect} of json-server, the selected records are deleted as by a DELETE of each`, async (t) => {
    const data = { posts: [{ id: '1' }, { id: '2' }], comments: [{ id: '1', postId: '1' }] }
    const app = await dataApp(t, data, { settings: { JSON_SERVER: dialect } })
    const headers = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }
    const url = '/posts?_delete=selected'
    const response = await app.inject({
      method: 'POST',
      url,
      headers,
      payload: 'delete=1&delete=1',
    })
    assert.equal(response.statusCode, 303)
    assert.deepEqual((await app.inject('/posts')).json(), [{ id: '2' }])
    const kept = dialect === '1' ? [{ id: '1', postId: null }] : []
    assert.deepEqual((await app.inject('/comments')).json(), kept)
  })
}

const confusable = [' x', 'x', '"a" x', '"a"x', '"a', 'a" x', '  x', '* x']

for (const id of confusable) {
  for (const isTagged of [true, false]) {
    // Without its ETag, this id looks like that of another record with one.
    if (id === '"a" x' && !isTagged) continue
    test(`the record ${JSON.stringify(id)} is deleted alone${isTagged ? ' with its ETag' : ''}`, async (t) => {
      const app = await dataApp(t, { things: confusable.map((each) => ({ id: each })) })
      const accept = { accept: 'application/json' }
      const url = `/things/${encodeURIComponent(id)}`
      const { etag } = (await app.inject({ url, headers: accept })).headers
      const value = isTagged ? `${String(etag)} ${id}` : id
      const response = await app.inject({
        method: 'POST',
        url: '/things?_delete=selected',
        headers: pageHeaders,
        payload: new URLSearchParams({ delete: value }).toString(),
      })
      assert.equal(response.statusCode, 303, response.body)
      const left = (await app.inject({ url: '/things', headers: accept })).json<{ id: string }[]>()
      assert.deepEqual(
        left.map((each) => each.id).toSorted(),
        confusable.filter((each) => each !== id).toSorted(),
      )
    })
  }
}

test('an id that looks like an ETag and another id deletes no other record', async (t) => {
  const app = await dataApp(t, { things: [{ id: 'x' }, { id: '"a" x' }] })
  const response = await app.inject({
    method: 'POST',
    url: '/things?_delete=selected',
    headers: pageHeaders,
    payload: new URLSearchParams({ delete: '"a" x' }).toString(),
  })
  assert.equal(response.statusCode, 412)
  assert.equal((await app.inject('/things')).json<unknown[]>().length, 2)
})

test('a record called delete has a nested list of a resource called selected', async (t) => {
  const data = {
    posts: [{ id: 'delete' }, { id: 'other' }],
    selected: [{ id: '1', postId: 'other' }],
  }
  const app = await dataApp(t, data)
  const created = await app.inject({
    method: 'POST',
    url: '/posts/delete/selected',
    payload: { id: '2' },
  })
  assert.equal(created.statusCode, 201, created.body)
  assert.equal((await app.inject('/posts/delete/selected')).json<unknown[]>().length, 1)
  assert.equal((await app.inject('/posts')).json<unknown[]>().length, 2)
})

test('JSON with the parameter of the selection creates a record', async (t) => {
  const app = await dataApp(t, { posts: [{ id: '1' }] })
  const url = '/posts?_delete=selected'
  const response = await app.inject({ method: 'POST', url, payload: { delete: '1' } })
  assert.equal(response.statusCode, 201, response.body)
  assert.equal((await app.inject('/posts')).json<unknown[]>().length, 2)
})

test('records that could not be deleted are named, and the list is linked as it was', async (t) => {
  const app = await dataApp(t, {
    authors: [{ id: 1, name: 'Ann Lee' }],
    books: [{ id: 1, authorId: 1 }],
  })
  const url = '/authors?sort=-name&_delete=selected'
  const payload = 'delete=1&delete=7'
  const response = await app.inject({ method: 'POST', url, headers: pageHeaders, payload })
  assert.equal(response.statusCode, 409)
  assert.match(response.body, /<bdi>Ann Lee<\/bdi><\/a>: .*1 book references it/)
  assert.match(response.body, /<bdi>7<\/bdi><\/a>: There is no author with the id 7/)
  assert.match(response.body, /href="\/authors\?sort=-name">Back to the list/)
})

const empty: readonly [payload: string, message: RegExp][] = [
  ['', /delete must have at least one id/],
  ['delete=', /delete must be a list of ids/],
  ['name=x', /delete must have at least one id/],
]

for (const [payload, message] of empty) {
  test(`422 for the selection ${JSON.stringify(payload)}, and no form of a new record`, async (t) => {
    const app = await testApp(t)
    const url = '/places?_delete=selected'
    const { statusCode, body } = await app.inject({
      method: 'POST',
      url,
      headers: pageHeaders,
      payload,
    })
    assert.equal(statusCode, 422)
    assert.match(body, message)
    assert.doesNotMatch(body, /Create place/)
  })
}

const blog = {
  posts: [{ id: 1 }],
  comments: [{ id: 1, postId: 1 }],
  likes: [{ id: 1, commentId: 1 }],
}
const cascade = (resource: string) => ({ 'x-references': { resource, onDelete: 'cascade' } })
const cascades = {
  comments: { properties: { postId: cascade('posts') } },
  likes: { properties: { commentId: cascade('comments') } },
}
const deletedWith: readonly [
  name: string,
  options: { schema?: unknown; settings?: Record<string, string> },
  text: RegExp | undefined,
][] = [
  ['with json-server 0.17', { settings: { JSON_SERVER: '0.17' } }, /the comments that reference/],
  ['with json-server 1', { settings: { JSON_SERVER: '1' } }, undefined],
  ['without a rule', {}, undefined],
  ['with cascades', { schema: cascades }, /the comments and likes that reference/],
]

for (const [name, options, text] of deletedWith) {
  test(`the confirmation says what is deleted with the records, ${name}`, async (t) => {
    const app = await dataApp(t, blog, options)
    const headers = { accept: 'text/html' }
    const list = await app.inject({ url: '/posts', headers })
    assert.match(list.body, /Delete <span>the selected posts<\/span>\?/)
    const record = await app.inject({ url: '/posts/1', headers })
    assert.match(record.body, /Delete this post\?/)
    const stale = asForm({ _method: 'DELETE', _if_match: '"0"' })
    const conflict = await app.inject({ method: 'POST', url: '/posts/1', ...stale })
    assert.match(conflict.body, /Delete it anyway/)
    for (const { body } of [list, record, conflict]) {
      if (text) assert.match(body, text)
      else assert.doesNotMatch(body, /Deleted with/)
    }
  })
}

test('with READ_ONLY a list offers neither to delete nor to create', async (t) => {
  const file = { posts: [{ id: 1, title: 'One' }] }
  const app = await dataApp(t, file, { settings: { READ_ONLY: 'on' } })
  const { body } = await app.inject({ url: '/posts', headers: { accept: 'text/html' } })
  assert.match(body, /One/)
  assert.doesNotMatch(body, /Delete selected|class="pick"|New post|id="bulk"/)
})

test('with READ_ONLY the page of a record offers no change of it or of related records', async (t) => {
  const app = await dataApp(t, blog, { settings: { READ_ONLY: 'on' } })
  for (const url of ['/posts/1', '/comments/1', '/likes/1']) {
    const { body } = await app.inject({ url, headers: { accept: 'text/html' } })
    assert.match(body, /<dt>ID<\/dt>/i)
    assert.doesNotMatch(body, /Edit|Delete|New (post|comment|like)|\/new/)
  }
})
