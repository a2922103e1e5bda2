import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resolve } from '../http/openapi/component.ts'
import { dataApp, dataFile } from '../../test/support/data-app.ts'
import { asForm } from '../../test/support/resources.ts'
import { loadDocument } from '../../test/support/openapi/load-document.ts'
import { testApp, useApp } from '../../test/support/test-app.ts'
import { temporaryFolder } from '../../test/support/start-vitrine.ts'

const posts = [1, 2].map((id) => ({ id, title: `Post ${String(id)}` }))

for (const [method, url, type] of [
  ['POST', '/posts', 'application/json'],
  ['PUT', '/posts/1', 'application/json'],
  ['PATCH', '/posts/1', 'application/json'],
  ['PATCH', '/posts/1', 'application/merge-patch+json'],
  ['PATCH', '/posts/1', 'application/json-patch+json'],
] as const) {
  test(`${method} as ${type} stores fields that no record had, and all lists know them`, async (t) => {
    const app = await dataApp(t, { posts })
    const fields = { title: 'x', 'sub title': 'a', stock: 3 }
    const operations = Object.entries(fields).map(([name, value]) => {
      return { op: 'add', path: `/${name}`, value }
    })
    const payload = JSON.stringify(type.includes('json-patch') ? operations : fields)
    const headers = { 'content-type': type, prefer: 'handling=strict' }
    const response = await app.inject({ method, url, headers, payload })
    assert.ok(response.statusCode < 300, response.body)
    assert.equal(response.headers['vitrine-ignored-fields'], undefined)
    const { id, ...stored } = response.json<{ id: number }>()
    assert.deepEqual(stored, fields)
    const read = async (path: string, accept = '*/*') =>
      (await app.inject({ url: path, headers: { accept } })).body
    assert.match(await read('/posts.csv'), /^id,title,sub title,stock\r\n/)
    assert.equal(await read('/posts?stock:gte=3&fields=id'), `[{"id":${String(id)}}]`)
    assert.equal(await read('/posts?sort=stock&per_page=1&fields=stock'), '[{"stock":3}]')
    assert.match(await read('/posts', 'text/html'), /Sub title/)
    assert.match(await read('/posts/new', 'text/html'), /name="stock" type="number"/)
    assert.match(await read(`/posts/${String(id)}`, 'text/html'), /<dt>Stock<\/dt><dd dir="auto">3/)
  })
}

test('in a form only known fields are stored, and the others are named', async (t) => {
  const app = await dataApp(t, { posts })
  const fields = { title: 'x', save: 'Save', 'a b, é': '1' }
  const send = (headers: object) => {
    const form = asForm(fields)
    const request = { method: 'POST', url: '/posts', ...form } as const
    return app.inject({ ...request, headers: { ...form.headers, ...headers } })
  }
  const created = await send({ accept: 'application/json' })
  assert.deepEqual(created.json(), { id: 3, title: 'x' })
  assert.equal(created.headers['vitrine-ignored-fields'], 'save, a%20b%2C%20%C3%A9')
  const strict = await send({ accept: 'application/json', prefer: 'handling=strict' })
  assert.equal(strict.statusCode, 422)
  await app.inject({ method: 'PATCH', url: '/posts/1', payload: { save: true } })
  const next = await send({ accept: 'application/json' })
  assert.equal(next.headers['vitrine-ignored-fields'], 'a%20b%2C%20%C3%A9')
})

/** For writes whose response is all that is looked at. */
const shared = useApp()
const sharedPosts = useApp({}, (t) => dataApp(t, { posts }))

for (const [method, type, payload] of [
  ['POST', 'application/json', { name: 'a', nick: 'b' }],
  ['PATCH', 'application/json', { nick: 'b' }],
  ['PATCH', 'application/merge-patch+json', { nick: 'b' }],
  ['PATCH', 'application/json-patch+json', [{ op: 'add', path: '/nick', value: 'b' }]],
  ['PUT', 'application/json', { name: 'a', nick: 'b' }],
] as const) {
  test(`${method} of a place as ${type} names the field that is not stored`, async () => {
    const app = shared()
    await app.inject({ method: 'PUT', url: '/places/pier', payload: { name: 'Pier' } })
    const url = method === 'POST' ? '/places' : '/places/pier'
    const headers = { 'content-type': type, origin: 'http://localhost:9' }
    const request = { method, url, headers, payload: JSON.stringify(payload) }
    const response = await app.inject(request)
    assert.ok(response.statusCode < 300, response.body)
    assert.equal(response.headers['vitrine-ignored-fields'], 'nick')
    const exposed = String(response.headers['access-control-expose-headers'])
    assert.match(exposed, /Vitrine-Ignored-Fields/)
    const strict = { ...headers, prefer: 'handling=strict' }
    assert.equal((await app.inject({ ...request, headers: strict })).statusCode, 422)
  })
}

for (const value of ['paypal', '', null, ['PUT', 'x'], 5]) {
  test(`_method ${JSON.stringify(value)} is no field, and the response names it`, async () => {
    const app = sharedPosts()
    const request = {
      method: 'POST',
      url: '/posts',
      payload: { title: 'x', _method: value },
    } as const
    const response = await app.inject(request)
    const { id, ...stored } = response.json<{ id: number }>()
    assert.ok(id > 2)
    assert.deepEqual(stored, { title: 'x' })
    assert.equal(response.headers['vitrine-ignored-fields'], '_method')
    const strict = await app.inject({ ...request, headers: { prefer: 'handling=strict' } })
    assert.equal(strict.statusCode, 422, strict.body)
  })
}

test('the header has a limit', async () => {
  const app = shared()
  const names = Array.from({ length: 500 }, (_, index) => [`field-${String(index)}`, 1])
  const payload = { name: 'x', ...(Object.fromEntries(names) as object) }
  const { headers } = await app.inject({ method: 'POST', url: '/places', payload })
  const named = String(headers['vitrine-ignored-fields'])
  assert.ok(named.length < 1010 && named.endsWith(', ...'), named)
})

test('a closed resource stores no other fields, and names them', async (t) => {
  const schema = { posts: { additionalProperties: false, properties: { title: {} } } }
  const app = await dataApp(t, { posts }, { schema })
  const payload = { id: 7, title: 'x', more: 1 }
  const response = await app.inject({ method: 'POST', url: '/posts', payload })
  assert.deepEqual(response.json(), { id: 3, title: 'x' })
  assert.equal(response.headers['vitrine-ignored-fields'], 'more')
})

test('a record has at most 500 fields, of names of at most 200 characters', async (t) => {
  const app = await dataApp(t, { posts })
  const create = async (payload: object) =>
    (await app.inject({ method: 'POST', url: '/posts', payload })).statusCode
  const many = (length: number) =>
    Object.fromEntries(Array.from({ length }, (_, index) => [`f${String(index)}`, 1]))
  assert.equal(await create(many(500)), 422)
  assert.equal(await create(many(499)), 201)
  assert.equal(await create({ title: 'x', one: 1 }), 422)
  assert.equal(await create({ ['x'.repeat(201)]: 1 }), 422)
  assert.equal(await create({ '': 1 }), 422)
})

test('added fields are known after a restart and to another process, until a reset', async (t) => {
  const folder = await temporaryFolder(t)
  const DATA_FILE = await dataFile(t, { posts, empty: [] })
  const settings = { DATA_FILE, TEST_API: 'on', DATABASE_URL: `sqlite:${folder}/data.db` }
  const one = await testApp(t, { settings })
  const other = await testApp(t, { settings })
  const header = async (app: typeof one) =>
    (await app.inject('/posts.csv')).body.split('\r\n', 1)[0]
  await one.inject({ method: 'POST', url: '/_vitrine/snapshots', payload: { name: 'before' } })
  const created = await one.inject({ method: 'POST', url: '/posts', payload: { nick: 'a' } })
  await one.inject({ method: 'POST', url: '/_vitrine/snapshots', payload: { name: 'after' } })
  assert.equal(await header(other), 'id,title,nick')
  const found = await other.inject('/posts?nick=a&fields=nick')
  assert.equal(found.body, '[{"nick":"a"}]')
  await one.inject({ method: 'DELETE', url: String(created.headers.location) })
  const third = await testApp(t, { settings })
  assert.equal(await header(third), 'id,title,nick')
  for (const [path, line] of [
    ['reset', 'id,title'],
    ['snapshots/after/restore', 'id,title,nick'],
    ['snapshots/before/restore', 'id,title'],
  ] as const) {
    const done = await one.inject({ method: 'POST', url: `/_vitrine/${path}` })
    assert.equal(done.statusCode, 204, done.body)
    for (const app of [one, other]) assert.equal(await header(app), line, path)
  }
})

test('the document has the added fields', async (t) => {
  const authors = [{ id: 1, name: 'Ann' }]
  const app = await dataApp(t, { authors, posts: posts.map((post) => ({ ...post, authorId: 1 })) })
  const read = async () => (await app.inject('/openapi.json')).body
  const [before, page] = [await read(), await app.inject('/docs/postPosts')]
  assert.doesNotMatch(before + page.body, /nick/)
  await app.inject({ method: 'PATCH', url: '/posts/1', payload: { nick: 'a' } })
  const { paths, components } = JSON.parse(await read()) as {
    paths: Record<string, { get: { parameters: { $ref?: string }[] } }>
    components: { schemas: Record<string, { properties: object }>; parameters: object }
  }
  for (const name of ['Post', 'PostInput', 'PostChanges', 'PostPart'])
    assert.ok('nick' in (components.schemas[name]?.properties ?? {}), name)
  for (const path of ['/posts', '/posts.csv', '/authors/{id}/posts'])
    for (const name of ['Post.nick', 'Post.nick.contains']) {
      const $ref = `#/components/parameters/${name}`
      assert.ok(
        paths[path]?.get.parameters.some((one) => one.$ref === $ref),
        path,
      )
      assert.ok(name in components.parameters)
    }
  assert.match((await app.inject('/docs/postPosts')).body, /nick/)
})

test('each filter is in the document once, and a list refers to it', async (t) => {
  const names = ['a b', 'a_32b', 'a.b', 'a', '作', 'sort', 'page']
  const app = await dataApp(t, {
    posts: [Object.fromEntries(['id', ...names].map((name) => [name, 1]))],
  })
  const { body } = await app.inject('/openapi.json')
  const { parameters = [] } = (await loadDocument(app)).paths['/posts']?.get ?? {}
  const found = parameters.map((one) => resolve(one).name)
  assert.equal(new Set(found).size, found.length)
  for (const name of names) {
    assert.ok(found.includes(name) && found.includes(`${name}:gte`), name)
    assert.equal(body.split(`"name":"${name}:gte"`).length, 2, name)
  }
})
