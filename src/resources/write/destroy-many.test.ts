import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataApp } from '../../../test/support/data-app.ts'
import { createRecord, readNames } from '../../../test/support/resources.ts'
import { tagsOf } from '../../../test/support/tags.ts'
import { testApp } from '../../../test/support/test-app.ts'

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
    const url = '/posts/delete/selected'
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
        url: '/things/delete/selected',
        headers: { accept: 'text/html' },
        payload: { delete: [value] },
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
    url: '/things/delete/selected',
    headers: { accept: 'text/html' },
    payload: { delete: ['"a" x'] },
  })
  assert.equal(response.statusCode, 412)
  assert.equal((await app.inject('/things')).json<unknown[]>().length, 2)
})

test('OpenAPI describes the selected ids as a list', async (t) => {
  const app = await dataApp(t, { things: [{ id: '1' }] })
  const document = (await app.inject('/openapi.json')).json<Record<string, unknown>>()
  const text = JSON.stringify(document)
  assert.match(
    text,
    /"\/things\/delete\/selected":.*?"delete":\{"type":"array","items":\{"type":"string"\},"minItems":1\}/,
  )
})
