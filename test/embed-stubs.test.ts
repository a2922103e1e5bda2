import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { buildApp, type VitrineOptions } from '../src/embed.ts'

const data = { posts: [{ id: 1, title: 'Hello' }] }
const responses = { 'GET /stub': { body: 'option' } }
const key = 'a-key-of-a-sandbox'

async function open(t: TestContext, options: VitrineOptions = { data, responses }) {
  const vitrine = await buildApp(options)
  t.after(() => vitrine.stop())
  const read = async (url: string, headers = {}) => (await vitrine.inject({ url, headers })).text()
  return { vitrine, read }
}

test('stubs are set and added, and a reset returns to those of the option', async (t) => {
  const { vitrine, read } = await open(t)
  assert.equal(await read('/stub'), 'option')
  await vitrine.responses.add('GET /:x', { when: { 'query.a': 1 }, body: 'added' })
  assert.deepEqual([await read('/stub?a=1'), await read('/stub')], ['added', 'option'])
  await vitrine.responses.set({ 'GET /other': { body: 'set' } })
  assert.equal((await vitrine.inject({ url: '/stub' })).status, 404)
  await vitrine.reset()
  assert.equal(await read('/stub'), 'option')
})

test('a function responds with a description, whose text is no template', async (t) => {
  const { vitrine, read } = await open(t)
  await vitrine.responses.add('POST /sum', ({ json }: { json: { a: number; b: number } }) => ({
    json: json.a + json.b,
  }))
  const sum = await vitrine.inject({ method: 'POST', url: '/sum', body: { a: 1, b: 2 } })
  assert.equal(await sum.json(), 3)
  await vitrine.responses.add('GET /greet/:name', ({ path, query }) =>
    Promise.resolve({ status: 203, body: `{{ 1 }} ${String(path.name)} ${String(query.from)}` }),
  )
  const greeting = await vitrine.inject({ url: '/greet/Ann?from=Bob' })
  assert.deepEqual([greeting.status, await greeting.text()], [203, '{{ 1 }} Ann Bob'])
  await vitrine.responses.add('GET /bug', () => {
    throw new Error('Not written yet')
  })
  assert.match(await read('/bug'), /The function of the stub GET \/bug failed: Not written yet/)
  await vitrine.responses.add('GET /bug', () => ({ stats: 1 }))
  assert.match(await read('/bug'), /GET \/bug failed: stats is not allowed/)
})

test('invalid stubs are an error with their place, and change nothing', async (t) => {
  const { vitrine, read } = await open(t)
  const set = vitrine.responses.set({ 'GET /stub': { when: { x: 1 } } })
  await assert.rejects(set, /^TypeError: GET \/stub\.when\.x is an unknown name/)
  await assert.rejects(
    vitrine.responses.add('nonsense', {}),
    /nonsense must be a method and a path/,
  )
  await assert.rejects(vitrine.responses.set({}, 'short'), /The key of a sandbox/)
  assert.equal(await read('/stub'), 'option')
})

test('the received requests can be read, with the stub that responded', async (t) => {
  const { vitrine } = await open(t)
  const origin = await vitrine.start()
  await fetch(`${origin}/stub?a=1`)
  await fetch(`${origin}/posts`, { method: 'POST', body: '{"title":"x"}' })
  const found = await vitrine.requests({ method: 'get', path: '/stub' })
  assert.deepEqual(
    found.map(({ target, status, stub }) => [target, status, stub]),
    [['/stub?a=1', 200, 'GET /stub']],
  )
  const [post] = await vitrine.requests({ method: 'POST' })
  assert.equal(post?.requestBody?.text, '{"title":"x"}')
  assert.equal((await vitrine.requests({ stub: 'GET /stub' })).length, 1)
  assert.equal((await vitrine.requests()).length, 2)
})

test('a snapshot is restored, with the sequences at their beginning', async (t) => {
  const { vitrine, read } = await open(t, { data })
  await vitrine.responses.set({ 'GET /step': { sequence: [{ body: 'one' }, { body: 'two' }] } })
  await vitrine.snapshot('start')
  await vitrine.inject({ method: 'POST', url: '/posts', body: { title: 'World' } })
  assert.deepEqual([await read('/step'), await read('/step')], ['one', 'two'])
  await vitrine.restore('start')
  const posts: unknown = await (await vitrine.inject({ url: '/posts' })).json()
  assert.deepEqual(posts, data.posts)
  assert.equal(await read('/step'), 'one')
  await assert.rejects(vitrine.restore('other'), /There is no snapshot other/)
})

test('each sandbox has stubs and requests of its own', async (t) => {
  const { vitrine, read } = await open(t)
  const headers = { 'x-sandbox': key }
  await vitrine.responses.add('GET /stub', { body: 'own' }, key)
  assert.deepEqual([await read('/stub', headers), await read('/stub')], ['own', 'option'])
  assert.equal((await vitrine.requests({ sandbox: key })).length, 1)
  assert.equal((await vitrine.requests()).length, 1)
  await vitrine.reset(key)
  assert.equal(await read('/stub', headers), 'option')
})

test('inject has the status, the headers and no body where there is none', async (t) => {
  const { vitrine } = await open(t)
  const head = await vitrine.inject({ method: 'HEAD', url: '/stub' })
  assert.deepEqual(
    [head.status, head.headers.get('content-length'), await head.text()],
    [200, '6', ''],
  )
  const gone = await vitrine.inject({ method: 'DELETE', url: '/posts/1' })
  assert.equal(gone.status, 204)
  const bytes = await vitrine.inject({
    method: 'POST',
    url: '/posts',
    headers: { 'content-type': 'application/json' },
    body: new TextEncoder().encode('{"title":"bytes"}'),
  })
  assert.equal(bytes.status, 201)
})
