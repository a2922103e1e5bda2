import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataApp } from '../../test/support/data-app.ts'
import { asForm, temporaryDatabase } from '../../test/support/resources.ts'
import { testApp, useApp, type OpeningTest } from '../../test/support/test-app.ts'
import { defineResource, type ResourceDefinition } from './definition.ts'
import { toResourceDemo } from './routes.ts'

const posts: ResourceDefinition = {
  name: 'posts',
  singular: 'post',
  title: 'Posts',
  summary: 'Records of a file.',
  idField: 'id',
  hasNumericIds: true,
  hasTimes: false,
  defaultType: 'application/json',
  usesEnvelope: false,
  schema: {
    type: 'object',
    required: ['title'],
    properties: {
      title: { type: 'string', minLength: 1 },
      createdAt: { type: 'string' },
      likes: { type: 'integer', default: 0 },
      source: { type: 'string', readOnly: true, default: 'web' },
    },
  },
}

async function openPosts(
  t: OpeningTest,
  changes: Partial<ResourceDefinition> = {},
  settings: Record<string, string> = {},
) {
  return testApp(t, { demos: [toResourceDemo(defineResource({ ...posts, ...changes }))], settings })
}

test('ids are numbers in JSON and continue, also for creates at the same time', async (t) => {
  const app = await openPosts(t)
  const create = () => app.inject({ method: 'POST', url: '/posts', payload: { title: 'a' } })
  const responses = await Promise.all(Array.from({ length: 40 }, create))
  const ids = responses.map((response) => response.json<{ id: number }>().id)
  const expected = Array.from(ids.keys(), (index) => index + 1)
  assert.deepEqual(
    ids.toSorted((one, other) => one - other),
    expected,
  )
  assert.equal((await create()).headers.location, '/posts/41')
  const shown = (await app.inject('/posts/41')).json<object>()
  assert.deepEqual(shown, { id: 41, title: 'a', likes: 0, source: 'web' })
})

test('the next id follows the largest stored id, whichever process wrote last', async (t) => {
  const settings = { DATABASE_URL: await temporaryDatabase(t) }
  const one = await openPosts(t, {}, settings)
  const other = await openPosts(t, {}, settings)
  const create = async (app: typeof one) =>
    (await app.inject({ method: 'POST', url: '/posts', payload: { title: 'a' } })).headers.location
  const remove = (app: typeof one, id: number) =>
    app.inject({ method: 'DELETE', url: `/posts/${String(id)}` })
  assert.equal(await create(one), '/posts/1')
  assert.equal(await create(one), '/posts/2')
  assert.equal(await create(other), '/posts/3')
  assert.equal(await create(one), '/posts/4')
  await remove(one, 4)
  assert.equal(await create(one), '/posts/4')
  await remove(other, 4)
  await remove(other, 3)
  assert.equal(await create(one), '/posts/3')
  const put = { method: 'PUT', url: '/posts/20', payload: { title: 'a' } } as const
  assert.equal((await other.inject(put)).statusCode, 201)
  assert.equal(await create(one), '/posts/21')
  assert.equal((await one.inject({ ...put, url: '/posts/30' })).statusCode, 201)
  assert.equal(await create(one), '/posts/31')
})

test('the next id follows the largest stored id, also if a record was stored with an id at the same time', async (t) => {
  const app = await openPosts(t)
  const payload = { title: 'a' }
  const create = async () => {
    const response = await app.inject({ method: 'POST', url: '/posts', payload })
    return response.json<{ id: number }>().id
  }
  for (const id of [100, 200, 300, 400, 500]) {
    const put = { method: 'PUT', url: `/posts/${String(id)}`, payload } as const
    const [first, , second] = await Promise.all([create(), app.inject(put), create()])
    const largest = Math.max(id, first, second)
    assert.equal(await create(), largest + 1)
    const remove = { method: 'DELETE', url: `/posts/${String(largest + 1)}` } as const
    const [next] = await Promise.all([create(), app.inject(remove)])
    assert.equal(await create(), next + 1)
  }
})

test('an id that is the text of the next number is passed over', async (t) => {
  const app = await dataApp(t, { posts: [{ id: 1 }, { id: '2' }, { id: '3' }] })
  const create = () => app.inject({ method: 'POST', url: '/posts', payload: {} })
  assert.equal((await create()).headers.location, '/posts/4')
  assert.equal((await create()).headers.location, '/posts/5')
})

test('a field createdAt of the data is an ordinary field, and id sorts by number', async (t) => {
  const app = await openPosts(t)
  for (const [id, createdAt] of [
    [2, 'b'],
    [10, 'a'],
    [9, 'c'],
  ]) {
    const payload = { title: 'x', createdAt }
    await app.inject({ method: 'PUT', url: `/posts/${String(id)}`, payload })
  }
  const read = async (query: string) => {
    const response = await app.inject(`/posts?${query}`)
    return response.json<{ id: number }[]>().map(({ id }) => id)
  }
  assert.deepEqual(await read('sort=id'), [2, 9, 10])
  assert.deepEqual(await read('sort=createdAt'), [10, 2, 9])
  assert.deepEqual(await read('createdAt=b'), [2])
  assert.deepEqual(await read('id=10'), [10])
  assert.deepEqual(await read('id:gte=9&sort=-id&per_page=1'), [10])
  const page = await app.inject('/posts?sort=createdAt&per_page=1')
  const [, next = ''] = /<([^>]*)>; rel="next"/.exec(String(page.headers.link)) ?? []
  assert.deepEqual((await app.inject(next)).json<{ id: number }[]>()[0]?.id, 2)
})

test('PATCH and PUT respond with the record, DELETE with 204; the id does not change', async (t) => {
  const app = await openPosts(t)
  const put = await app.inject({ method: 'PUT', url: '/posts/7', payload: { title: 'a', id: 8 } })
  assert.equal(put.statusCode, 201)
  assert.deepEqual(put.json(), { id: 7, title: 'a', likes: 0, source: 'web' })
  const changes = { title: 'b', source: 'x', id: 9 }
  const patch = await app.inject({ method: 'PATCH', url: '/posts/7', payload: changes })
  assert.deepEqual(patch.json(), { id: 7, title: 'b', likes: 0, source: 'web' })
  const merge = { 'content-type': 'application/merge-patch+json' }
  const fixed = { method: 'PATCH', url: '/posts/7', headers: merge, payload: '{"id":9}' } as const
  assert.equal((await app.inject(fixed)).statusCode, 422)
  const remove = await app.inject({ method: 'DELETE', url: '/posts/7' })
  assert.equal(remove.statusCode, 204)
  assert.equal((await app.inject('/posts/7')).statusCode, 404)
})

const withTextIds = useApp({}, (t) => openPosts(t, { hasNumericIds: false }))
for (const id of ['a b', 'a/b', 'v1.2', '50%', '😀', 'ann@example.org', '<b>', 'a'.repeat(200)]) {
  test(`a record with the id ${id.slice(0, 20)} has a page, a form and links that work`, async () => {
    const app = withTextIds()
    const url = `/posts/${encodeURIComponent(id)}`
    const put = await app.inject({ method: 'PUT', url, payload: { title: 'a' } })
    assert.equal(put.statusCode, 201)
    assert.equal(put.headers.location, url)
    assert.equal(put.json<{ id: string }>().id, id)
    const accept = 'text/html'
    const list = await app.inject({ url: '/posts', headers: { accept } })
    assert.ok(list.body.includes(`href="${url}"`))
    for (const path of [url, `${url}/edit`, `${url}.json`]) {
      assert.equal((await app.inject({ url: path, headers: { accept } })).statusCode, 200)
    }
    const form = asForm({ _method: 'PATCH', title: 'b' })
    const saved = await app.inject({ method: 'POST', url, ...form })
    assert.equal(saved.headers.location, url)
    assert.equal((await app.inject(`${url}.json`)).json<{ title: string }>().title, 'b')
  })
}

const withNumericIds = useApp({}, (t) => openPosts(t))
for (const id of ['new', 'post', 'a.json', '..', 'a'.repeat(201), '\u0007']) {
  test(`${JSON.stringify(id.slice(0, 20))} cannot be an id`, async () => {
    const url = `/posts/${encodeURIComponent(id)}`
    const payload = { title: 'a' }
    const put = await withNumericIds().inject({ method: 'PUT', url, payload })
    assert.ok([404, 405].includes(put.statusCode))
  })
}

test('a singular resource has GET, PUT and PATCH at its path, and a form', async (t) => {
  const app = await openPosts(t, { name: 'profile', isSingular: true })
  assert.equal((await app.inject('/profile')).statusCode, 404)
  const put = await app.inject({ method: 'PUT', url: '/profile', payload: { title: 'a' } })
  assert.equal(put.statusCode, 201)
  assert.equal(put.headers.location, '/profile')
  const patch = await app.inject({ method: 'PATCH', url: '/profile', payload: { title: 'b' } })
  assert.deepEqual(patch.json(), { title: 'b', likes: 0, source: 'web' })
  assert.deepEqual((await app.inject('/profile')).json(), patch.json())
  for (const method of ['POST', 'DELETE'] as const) {
    const response = await app.inject({ method, url: '/profile', payload: {} })
    assert.equal(response.statusCode, 405)
    assert.equal(response.headers.allow, 'GET, HEAD, PUT, PATCH, OPTIONS')
  }
  for (const url of ['/profile', '/profile/edit', '/profile.json', '/profile.txt']) {
    const response = await app.inject({ url, headers: { accept: 'text/html' } })
    assert.equal(response.statusCode, 200)
  }
})

test('unknown fields are kept where the resource allows them', async (t) => {
  const app = await openPosts(t, { allowsUnknown: true })
  const payload = { title: 'a', extra: { deep: [1] } }
  const created = await app.inject({ method: 'POST', url: '/posts', payload })
  const record = { id: 1, likes: 0, source: 'web', ...payload }
  assert.deepEqual(created.json(), record)
  assert.deepEqual((await app.inject('/posts')).json(), [record])
  const headers = { 'content-type': 'application/merge-patch+json' }
  const patch = { method: 'PATCH', url: '/posts/1', headers, payload: '{"extra":null}' } as const
  const { extra, ...others } = record
  assert.deepEqual((await app.inject(patch)).json(), others)
  assert.ok(extra)
})
