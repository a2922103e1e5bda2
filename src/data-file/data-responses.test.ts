import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataApp, dataFile } from '../../test/support/data-app.ts'
import { temporaryFolder } from '../../test/support/start-vitrine.ts'
import { catalogueApp } from '../../test/support/test-app.ts'

const posts = [{ id: 1, title: 'Hello' }]

test('the responses of a data file are beside its resources', async (t) => {
  const app = await dataApp(t, {
    posts,
    $responses: {
      'GET /slow': { delay: 0.1, json: [] },
      'POST /orders/:id/pay': { status: 402, headers: { 'X-Reason': 'card' }, body: 'No' },
      'GET /orders/latest': { type: 'text/html', body: '<p>Latest' },
    },
  })
  assert.deepEqual((await app.inject('/posts')).json(), posts)
  const startedAt = performance.now()
  assert.equal((await app.inject('/slow')).body, '[]')
  assert.ok(performance.now() - startedAt >= 95)
  const headers = { 'content-type': 'application/json' }
  const payload = '{"not JSON'
  const paid = await app.inject({ method: 'POST', url: '/orders/7/pay', headers, payload })
  assert.deepEqual([paid.statusCode, paid.headers['x-reason'], paid.body], [402, 'card', 'No'])
  const listed = await app.inject({ url: '/demos/described', headers: { accept: 'text/html' } })
  assert.match(listed.body, /\/slow/)
  const page = await app.inject('/orders/latest')
  assert.equal(page.headers['content-security-policy'], 'sandbox')
  assert.equal((await app.inject({ method: 'HEAD', url: '/slow' })).headers['content-length'], '2')
  const wrong = await app.inject({ method: 'DELETE', url: '/slow' })
  assert.equal(wrong.statusCode, 404)
  assert.match(wrong.body, /The nearest stub is GET \/slow\. It needs: method is .+GET/)
  const options = await app.inject({ method: 'OPTIONS', url: '/slow' })
  assert.deepEqual([options.statusCode, options.headers.allow], [204, 'GET, HEAD, OPTIONS'])
  const ofResource = await app.inject({ method: 'POST', url: '/posts/1' })
  assert.equal(ofResource.statusCode, 405)
})

for (const settings of [{}, { JSON_SERVER: '0.17' }, { JSON_SERVER: '1' }]) {
  const mode = settings.JSON_SERVER ?? 'off'
  test(`a response is beside the routes of a resource, with json-server ${mode}`, async (t) => {
    const $responses = {
      'POST /posts/:id/pay': { status: 402 },
      'GET /posts/:post/likes': { json: 3 },
      'GET /posts/1/comments/latest': { json: 4 },
    }
    const comments = [{ id: 1, postId: 1 }]
    const app = await dataApp(t, { posts, comments, $responses }, { settings })
    assert.equal((await app.inject({ method: 'POST', url: '/posts/1/pay' })).statusCode, 402)
    assert.equal((await app.inject('/posts/1/likes')).json(), 3)
    assert.equal((await app.inject('/posts/1/comments/latest')).json(), 4)
    for (const url of ['/posts', '/posts/1', '/posts/1/comments'])
      assert.equal((await app.inject(url)).statusCode, 200)
    const { paths } = (await app.inject('/openapi.json')).json<{ paths: Record<string, object> }>()
    assert.ok(paths['/posts/{id}/pay'])
  })
}

test('a described response has neither validators, compression nor defaults of the service', async (t) => {
  const app = await dataApp(t, { posts, $responses: { 'GET /long': { body: 'x'.repeat(5000) } } })
  const headers = {
    'accept-encoding': 'gzip',
    'if-none-match': '*',
    'want-content-digest': 'sha-256=1',
  }
  const response = await app.inject({ url: '/long', headers })
  assert.deepEqual([response.statusCode, response.body.length], [200, 5000])
  assert.equal(response.headers['cache-control'], 'no-store')
  for (const name of ['etag', 'content-encoding', 'content-digest']) {
    assert.equal(response.headers[name], undefined, name)
  }
})

test('the cross-site rules of the other resources apply', async (t) => {
  const app = await dataApp(t, { posts, $responses: { 'POST /pay': { status: 201 } } })
  const send = (origin: string) => app.inject({ method: 'POST', url: '/pay', headers: { origin } })
  const local = await send('http://localhost:5173')
  assert.equal(local.statusCode, 201)
  assert.equal(local.headers['access-control-allow-origin'], 'http://localhost:5173')
  assert.equal((await send('http://other.example')).statusCode, 403)
})

test('a sequence has the next step for each request', async (t) => {
  const sequence = [{ status: 503, times: 2, headers: { 'Retry-After': '1' } }, { json: 'done' }]
  const app = await dataApp(t, { posts, $responses: { 'GET /flaky': { sequence } } })
  const statuses: number[] = []
  for (let count = 0; count < 4; count += 1) statuses.push((await app.inject('/flaky')).statusCode)
  assert.deepEqual(statuses, [503, 503, 200, 200])
})

for (const method of ['GET', 'HEAD', 'POST'] as const) {
  test(`with READ_ONLY, ${method} takes no step of a sequence, and gets 403`, async (t) => {
    const described = { '/flaky': { sequence: [{ status: 202 }] }, '/plain': { status: 202 } }
    const $responses = Object.fromEntries(
      Object.entries(described).flatMap(([path, value]) =>
        ['GET', 'POST'].map((name) => [`${name} ${path}`, value]),
      ),
    )
    const app = await dataApp(t, { posts, $responses }, { settings: { READ_ONLY: 'on' } })
    assert.equal((await app.inject({ method, url: '/flaky' })).statusCode, 403)
    assert.equal((await app.inject({ method, url: '/plain' })).statusCode, 202)
    const { paths } = (await app.inject('/openapi.json')).json<{
      paths: Record<string, { get?: { responses: object } }>
    }>()
    const documented = Object.keys(paths['/flaky']?.get?.responses ?? {})
    assert.deepEqual(
      ['403', '503', '507'].filter((status) => !documented.includes(status)),
      [],
    )
  })
}

test('a response takes its path from a demo, and is documented', async (t) => {
  const app = await dataApp(t, { posts, $responses: { 'GET /status/:code': { body: 'own' } } })
  assert.equal((await app.inject('/status/404')).body, 'own')
  const { paths } = (await app.inject('/openapi.json')).json<{ paths: Record<string, object> }>()
  assert.deepEqual(Object.keys(paths['/status/{code}'] ?? {}), ['get'])
})

test('another process has the responses of the load, and a lower limit is an error of the start', async (t) => {
  const DATA_FILE = await dataFile(t, { posts, $responses: { 'GET /slow': { delay: 9, json: 1 } } })
  const DATABASE_URL = `sqlite:${await temporaryFolder(t)}/data.db`
  await catalogueApp(t, { settings: { DATA_FILE, DATABASE_URL } })
  const app = await catalogueApp(t, {
    settings: { DATA_FILE, DATABASE_URL, MAX_DURATION_SECONDS: '9' },
  })
  const allowed = await app.inject({ method: 'OPTIONS', url: '/slow' })
  assert.equal(allowed.headers.allow, 'GET, HEAD, OPTIONS')
  await assert.rejects(
    catalogueApp(t, { settings: { DATA_FILE, DATABASE_URL, MAX_DURATION_SECONDS: '1' } }),
    /db\.json: \/\$responses\/"GET \/slow"\/delay is too long: the response must take at most 1 seconds/,
  )
})

const rejected: Readonly<Record<string, [responses: unknown, message: RegExp]>> = {
  'a list': [[], /\/\$responses must be an object like/],
  'a path without a method': [
    { '/slow': {} },
    /\/\$responses\/"\/slow" must be a method and a path/,
  ],
  'a method in small letters': [{ 'get /slow': {} }, /methods are case-sensitive: write GET/],
  'a wrong pattern': [{ 'GET /a{b': {} }, /\/a\{b is not a pathname of URLPattern/],
  'a parameter twice': [{ 'GET /a/:b/:b': {} }, /is not a pathname of URLPattern/],
  'a path of the service': [{ 'GET /_vitrine/reset': {} }, /is a path of the service/],
  'no alternative': [{ 'GET /a': [] }, /"GET \/a" must have 1 to 100 alternatives/],
  'an unknown name': [
    { 'GET /a': [{}, { when: { 'headers.a': 1 } }] },
    /"GET \/a"\/1\/when\/headers\.a is an unknown name\. Names: method, path/,
  ],
  'an unknown operator': [
    { 'GET /a': { when: { 'query.a:like': 1 } } },
    /when\/query\.a:like has an unknown operator\. Operators: eq, ne/,
  ],
  'a condition without a value': [{ 'GET /a': { when: { 'query.a': [] } } }, /must have a value/],
  'a condition with an object': [
    { 'GET /a': { when: { 'query.a': {} } } },
    /must be text, a number/,
  ],
  'a wrong share': [{ 'GET /a': { share: 2 } }, /"GET \/a"\/share must be a number from 0 to 1/],
  'a wrong member': [{ 'GET /a': { status: 99 } }, /"GET \/a"\/status must be at least 200/],
  'an unknown member': [{ 'GET /a': { color: 1 } }, /"GET \/a"\/color is not allowed/],
  text: [{ 'GET /a': 'text' }, /"GET \/a" must be an object/],
  'a wrong step': [
    { 'GET /a': { sequence: [{ pause: 1 }] } },
    /sequence\/0\/pause needs chunk_size/,
  ],
  'an empty sequence': [
    { 'GET /a': { sequence: [] } },
    /"GET \/a"\/sequence must have at least 1 item$/,
  ],
  '5001 responses': [
    Object.fromEntries(Array.from({ length: 5001 }, (_, index) => [`GET /a${String(index)}`, {}])),
    /has more than 5000 members/,
  ],
}

for (const [what, [responses, message]] of Object.entries(rejected)) {
  test(`${what} in $responses is an error with its place`, async (t) => {
    await assert.rejects(dataApp(t, { posts, $responses: responses }), message)
  })
}

test('DELAY_MS delays the responses of resources, errors and pages too', async (t) => {
  const app = await dataApp(t, { posts: [{ id: 1 }] }, { settings: { DELAY_MS: '300' } })
  const measure = async (url: string, accept: string) => {
    const startedAt = performance.now()
    const { statusCode } = await app.inject({ url, headers: { accept } })
    return { statusCode, milliseconds: performance.now() - startedAt }
  }
  for (const [url, accept, status] of [
    ['/posts', 'application/json', 200],
    ['/posts/2', 'application/json', 404],
    ['/posts', 'text/html', 200],
  ] as const) {
    const { statusCode, milliseconds } = await measure(url, accept)
    assert.equal(statusCode, status)
    assert.ok(milliseconds >= 295, url)
  }
})

for (const [accept, type] of [
  ['*/*', 'application/problem+json'],
  ['text/html', 'text/html'],
] as const) {
  test(`with a data file the error for an unknown path is ${type} for ${accept}`, async (t) => {
    const app = await dataApp(t, { posts: [{ id: 1 }] })
    const { headers } = await app.inject({ url: '/nowhere', headers: { accept } })
    assert.equal(headers['content-type'], `${type}; charset=utf-8`)
  })
}

test('the method of a request for a described response cannot be overridden', async (t) => {
  const cached = { 'Cache-Control': 'public, max-age=60' }
  const app = await dataApp(t, {
    posts,
    $responses: {
      'GET /promo': { headers: cached, body: 'shown' },
      'DELETE /promo': { body: 'deleted' },
      'POST /posts/:id/pay': { status: 402 },
    },
  })
  const override = { 'x-http-method-override': 'DELETE' }
  for (const request of [
    { url: '/promo?_method=DELETE' },
    { url: '/promo/', headers: override },
    { url: '/promo', headers: { 'x-http-method-override': 'HEAD' } },
  ])
    assert.equal((await app.inject(request)).body, 'shown')
  const payload = { _method: 'GET' }
  const paid = await app.inject({ method: 'POST', url: '/posts/1/pay', headers: override, payload })
  assert.equal(paid.statusCode, 402)
  await app.inject({ method: 'POST', url: '/posts/1', headers: override })
  assert.equal((await app.inject('/posts/1')).statusCode, 404)
})
