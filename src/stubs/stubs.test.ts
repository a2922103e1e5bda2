import assert from 'node:assert/strict'
import type { InjectOptions } from 'fastify'
import { test } from 'node:test'
import { dataApp } from '../../test/support/data-app.ts'

const posts = [{ id: 1, title: 'Hello' }]
const json = (payload: unknown, headers = {}): InjectOptions => ({
  method: 'POST',
  url: '/x',
  headers: { 'content-type': 'application/json', ...headers },
  payload: JSON.stringify(payload),
})

const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** A stub with these conditions for any method at `/x`, and whether it responds. */
const conditions: readonly [when: object, request: InjectOptions | string, matches: boolean][] = [
  [{ 'query.a': 'b' }, '/x?a=b', true],
  [{ 'query.a': 'b' }, '/x?a=B', false],
  [{ 'query.a': 2 }, '/x?a=2.0', true],
  [{ 'query.a': '2' }, '/x?a=2.0', false],
  [{ 'query.a': true }, '/x?a=true', true],
  [{ 'query.a': ['b', 'c'] }, '/x?a=c', true],
  [{ 'query.a:in': 'b,c' }, '/x?a=c', true],
  [{ 'query.a:in': 'b,c' }, '/x?a=b,c', false],
  [{ 'query.a:ne': ['b', 'c'] }, '/x?a=c', false],
  [{ 'query.a:ne': 'b' }, '/x', true],
  [{ 'query.a:gt': 9 }, '/x?a=10', true],
  [{ 'query.a:gt': '9' }, '/x?a=10', true],
  [{ 'query.a:lte': 'b' }, '/x?a=b', true],
  [{ 'query.a:lt': 5 }, '/x?a=b', false],
  [{ 'query.a': 'b' }, '/x?a=c&a=b', true],
  [{ 'query.a:ne': 'b' }, '/x?a=c&a=b', false],
  [{ 'query.a:contains': 'EL' }, '/x?a=hello', true],
  [{ 'query.a:exists': true }, '/x?a', true],
  [{ 'query.a:exists': false }, '/x?b', true],
  [
    { 'query.hub.mode': 's', 'query.hub.verify_token': 't' },
    '/x?hub.mode=s&hub.verify_token=t',
    true,
  ],
  [{ 'query.f.name': 'x' }, '/x?f[name]=x', true],
  [{ 'query.a:b:eq': '1' }, '/x?a:b=1', true],
  [{ 'query._method': 'PUT' }, { method: 'POST', url: '/x?_method=PUT' }, true],
  [{ 'header.X-Key:endsWith': '9' }, { url: '/x', headers: { 'x-key': 'k9' } }, true],
  [{ 'cookie.theme': 'dark' }, { url: '/x', headers: { cookie: 'a=b; theme=dark' } }, true],
  [{ method: ['PUT', 'PATCH'] }, { method: 'PATCH', url: '/x' }, true],
  [{ path: '/x' }, '/x/', true],
  [{ 'path:contains': 'y' }, '/x', false],
  [{ 'json.a.0.b': 1 }, json({ a: [{ b: 1 }] }), true],
  [{ 'json.a': null }, json({}), true],
  [{ 'json.a:exists': true }, json({ a: null }), true],
  [{ 'json.tags': 'new' }, json({ tags: ['old', 'new'] }), true],
  [{ 'json.a.b': 1 }, json({ 'a.b': 1, a: { b: 2 } }), true],
  [{ 'json.a.last': 3 }, json({ a: [1, 3] }), true],
  [{ 'json.constructor.name:exists': true }, json({}), false],
  [{ 'json.a:exists': true }, { ...json({}), payload: '{"a"' }, false],
  [{ 'json.a': 1 }, json({ a: 1 }, { 'content-type': 'application/vnd.x+json' }), true],
  [{ 'form.a': 'b c' }, { method: 'POST', url: '/x', headers: form, payload: 'a=b+c' }, true],
  [
    { 'body:startsWith': '<a' },
    { method: 'POST', url: '/x', headers: { 'content-type': 'text/xml' }, payload: '<a/>' },
    true,
  ],
]
for (const [when, request, matches] of conditions) {
  const title = typeof request === 'string' ? request : JSON.stringify(request)
  test(`${JSON.stringify(when)} ${matches ? 'matches' : 'does not match'} ${title}`, async (t) => {
    const app = await dataApp(t, { posts, $responses: { '* /x': { when, status: 299 } } })
    assert.equal((await app.inject(request)).statusCode === 299, matches)
  })
}

const paths: readonly [key: string, request: string, matches: boolean][] = [
  ['GET /u/:id', 'GET /u/7', true],
  ['GET /u/:id', 'GET /u/7/', true],
  ['GET /u/:id/', 'GET /u/7', true],
  ['GET /u/:id', 'GET /u/a%2Fb', true],
  ['GET /u/:id', 'GET /u', false],
  ['GET /u/:id?', 'GET /u', true],
  ['GET /files/*', 'GET /files/a/b', true],
  ['GET /:a-:b', 'GET /x-y', true],
  [String.raw`GET /n/:id(\d+)`, 'GET /n/12', true],
  [String.raw`GET /n/:id(\d+)`, 'GET /n/x', false],
  ['GET /files/:name.json', 'GET /files/a.xml', false],
  ['GET /files/:name?', 'GET /files', true],
  ['GET /a/:x/b', 'GET /a//b', false],
  ['GET /a/:x/b', 'GET /a/1/b/c', false],
  ['GET /v{/beta}?/a', 'GET /v/beta/a', true],
  ['GET /a.b/:x.json', 'GET /a.b/c.json', true],
  ['GET /café', 'GET /caf%c3%a9', true],
  ['GET /plain', 'GET /%70lain', true],
  ['GET /', 'GET /', true],
  ['GET /docs', 'GET /docs', true],
  ['GET /posts/:id', 'GET /posts/1', true],
  ['GET /posts', 'GET /posts?page=1', true],
  ['GET /mirror/field', 'GET /mirror/field', true],
  ['GET /*', 'GET /_vitrine/reset', false],
  ['GET /*', 'GET /%5Fvitrine/reset', false],
  ['GET /*', 'GET /health/live', false],
  ['GET /*', 'GET /health', true],
  ['GET /*', 'GET /%zz', false],
  ['PROPFIND /dav', 'PROPFIND /dav', true],
  ['OPTIONS /o', 'OPTIONS /o', true],
  ['HEAD /h', 'HEAD /h', true],
  ['GET /h', 'HEAD /h', true],
  ['GET /h', 'POST /h', false],
  ['GET /H', 'GET /h', false],
]
for (const [key, request, matches] of paths) {
  test(`${key} ${matches ? 'matches' : 'does not match'} ${request}`, async (t) => {
    const app = await dataApp(t, { posts, $responses: { [key]: { status: 299 } } })
    const [method, url = ''] = request.split(' ')
    const response = await app.inject({ method: method as 'GET', url })
    assert.equal(response.statusCode === 299, matches)
  })
}

test('the first member and alternative that match respond, and others go on to resources', async (t) => {
  const app = await dataApp(t, {
    posts,
    $responses: {
      'POST /posts': [
        { when: { 'json.title': 'a' }, body: 'first' },
        { when: { 'json.title:startsWith': 'b' }, sequence: [{ body: 'one' }, { body: 'two' }] },
      ],
      'POST /*': { when: { 'json.title': ['a', 'c'] }, body: 'second' },
      'HEAD /posts': { when: { 'query.a': 1 }, status: 299 },
      'GET /posts': { status: 298 },
    },
  })
  const post = async (title: string) => {
    const response = await app.inject({ method: 'POST', url: '/posts', payload: { title } })
    return response.statusCode === 200 ? response.body : response.statusCode
  }
  const results: unknown[] = []
  for (const title of ['a', 'b', 'bb', 'c', 'd']) results.push(await post(title))
  assert.deepEqual(results, ['first', 'one', 'two', 'second', 201])
  assert.equal((await app.inject('/posts')).statusCode, 298)
  const head = (url: string) => app.inject({ method: 'HEAD', url })
  assert.equal((await head('/posts?a=1')).statusCode, 299)
  assert.equal((await head('/posts')).statusCode, 200)
})

test('a body that conditions have read reaches a form, a raw route and a method override', async (t) => {
  const { bins, httpbin, uploads } = { bins: 'bins', httpbin: 'httpbin', uploads: 'uploads' }
  const $responses = { 'POST /*': { when: { 'body:contains': 'taken' }, status: 299 } }
  const settings = { DEMOS: [bins, httpbin, uploads].join() }
  const app = await dataApp(t, { posts, $responses }, { settings })
  const headers = { 'content-type': 'text/plain' }
  const echo = await app.inject({ method: 'POST', url: '/httpbin/post', headers, payload: 'free' })
  assert.equal(echo.json<{ data: string }>().data, 'free')
  const taken = { method: 'POST', url: '/httpbin/post', headers, payload: 'taken' } as const
  assert.equal((await app.inject(taken)).statusCode, 299)
  const ofForm = { 'content-type': 'multipart/form-data; boundary=b' }
  const part = 'Content-Disposition: form-data; name="upfiles"; filename="a"'
  const payload = `--b\r\n${part}\r\n\r\nfree\r\n--b--\r\n`
  const upload = { method: 'POST', url: '/profile', headers: ofForm, payload } as const
  assert.equal((await app.inject(upload)).statusCode, 200)
  const override = { _method: 'DELETE' }
  const gone = await app.inject({ method: 'POST', url: '/posts/1', payload: override })
  assert.equal(gone.statusCode, 204)
})

test('a body that arrives slowly is awaited, and one that is too large gets 413', async (t) => {
  const $responses = { 'POST /x': { when: { 'json.a': 1 }, status: 299 } }
  const app = await dataApp(t, { posts, $responses }, { settings: { MAX_BODY_BYTES: '100' } })
  const { port } = new URL(await app.listen({ port: 0 }))
  const send = (body: string) =>
    fetch(`http://localhost:${port}/x`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      duplex: 'half',
      body: ReadableStream.from(Array.from(body, (part) => Buffer.from(part))),
    })
  assert.equal((await send('{"a":1}')).status, 299)
  assert.equal((await send(`"${'a'.repeat(200)}"`)).status, 413)
  const other = { method: 'POST', headers: { origin: 'http://other.example' }, body: '{"a":1}' }
  assert.equal((await fetch(`http://localhost:${port}/x`, other)).status, 403)
})

test('the 404 of a request that matched no alternative names the nearest stub', async (t) => {
  const $responses = {
    'GET /posts/:id': [
      { when: { 'path.id': '7', 'query.a': 1 } },
      { when: { 'path.id:in': '8,9' } },
    ],
    'GET /greeting': {},
  }
  const app = await dataApp(t, { posts, $responses })
  const { nearest, detail } = (await app.inject('/posts/5?a=1')).json<{
    nearest: unknown
    detail: string
  }>()
  const differences = [{ name: 'path.id', expected: '7', actual: '5' }]
  assert.deepEqual(nearest, { stub: 'GET /posts/:id', differences })
  assert.match(detail, /GET \/posts\/:id\. It needs: path\.id is "7" \(the request has "5"\)\.$/)
  assert.match((await app.inject('/greting')).body, /The nearest stub is GET \/greeting\./)
  assert.equal((await app.inject('/posts/1')).statusCode, 200)
})

test('a share is given to the same requests at each start', async (t) => {
  const $responses = { 'GET /x': [{ share: 0.2, status: 503 }, { status: 200 }] }
  const run = async () => {
    const app = await dataApp(t, { posts, $responses })
    const statuses: number[] = []
    while (statuses.length < 200) statuses.push((await app.inject('/x')).statusCode)
    return statuses
  }
  const statuses = await run()
  assert.deepEqual(await run(), statuses)
  const failed = statuses.filter((status) => status === 503).length
  assert.ok(failed > 20 && failed < 60, String(failed))
})

test('our own cookies and secrets are not seen by conditions', async (t) => {
  const when = { 'header.cookie:exists': true }
  const $responses = {
    'GET /x': { when, status: 299 },
    'GET /y': { when: { 'header.x-inspector:exists': true } },
  }
  const app = await dataApp(t, { posts, $responses }, { settings: { DEMOS: 'sessions,users' } })
  const get = async (url: string, headers: Record<string, string>) =>
    (await app.inject({ url, headers })).statusCode
  assert.equal(await get('/x', { cookie: 'session=abc' }), 404)
  assert.equal(await get('/x', { cookie: 'session=abc; a=b' }), 299)
  assert.equal(await get('/y', { 'x-inspector': 'a'.repeat(20) }), 404)
})

test('a pattern that takes exponential time ends the request, and no other', async (t) => {
  const app = await dataApp(t, {
    posts,
    $responses: { 'GET /:a((?:a+)+b)': {}, 'GET /*/*/*/*z/x': {}, 'GET /x:a+y': {} },
  })
  const startedAt = performance.now()
  assert.equal((await app.inject(`/${'a'.repeat(60)}`)).statusCode, 500)
  assert.notEqual((await app.inject(`${'/a/'.repeat(900)}/x`)).statusCode, 200)
  assert.equal((await app.inject(`/x${'a'.repeat(60)}/y`)).statusCode, 500)
  assert.ok(performance.now() - startedAt < 2000)
  assert.equal((await app.inject('/posts')).statusCode, 200)
})

test('among 1,000 stubs one is found quickly', async (t) => {
  const of = (index: number) => `/v1/resource${String(index)}/:id`
  const entries = Array.from({ length: 1000 }, (_, index) => [`GET ${of(index)}`, { status: 299 }])
  const app = await dataApp(t, { posts, $responses: Object.fromEntries(entries) as object })
  assert.equal((await app.inject('/v1/resource999/5')).statusCode, 299)
})
