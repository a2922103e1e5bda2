import type { FastifyInstance } from 'fastify'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseList } from 'structured-headers'
import { sendOverSocket, type TestRequest } from '../../test/support/request-both-ways.ts'
import { browserAccept } from '../../test/support/resources.ts'
import { catalogueApp, testApp } from '../../test/support/test-app.ts'

/** The items of a field by name, with their numbers. */
function readNumbers(field: unknown): Record<string, object> {
  const items = parseList(String(field)).map(([name, parameters]) => [
    String(name),
    Object.fromEntries(parameters),
  ])
  return Object.fromEntries(items) as Record<string, object>
}

interface Left {
  r: number
  t: number
}

function readLeft(headers: Readonly<Record<string, unknown>>): Record<string, Left | undefined> {
  return readNumbers(headers.ratelimit) as Record<string, Left | undefined>
}

/** How many requests are left before this one, by one that counts itself. */
async function countLeft(app: FastifyInstance, remoteAddress = '127.0.0.1'): Promise<number> {
  const { headers } = await app.inject({ url: '/mirror/query', remoteAddress })
  return (readLeft(headers).default?.r ?? NaN) + 1
}

test('without a limit no response has rate limit headers', async (t) => {
  const app = await testApp(t)
  const { headers } = await app.inject('/mirror/query')
  assert.equal(headers.ratelimit, undefined)
  assert.equal(headers['ratelimit-policy'], undefined)
})

test('every response has the limit and the remaining requests', async (t) => {
  const app = await testApp(t, { settings: { RATE_LIMIT: '300' } })
  const { headers } = await app.inject('/mirror/query')
  assert.equal(headers['ratelimit-policy'], '"default";q=300;w=60')
  assert.equal(headers.ratelimit, '"default";r=299;t=60')
  const { default: left } = readLeft((await app.inject('/mirror/query')).headers)
  assert.equal(left?.r, 298)
  assert.ok(left.t > 0 && left.t <= 60)
})

for (const url of ['/problems/not-found', '/learn', '/httpbin/cache/60']) {
  test(`${url}, which shared caches store, does not have what a client has left`, async (t) => {
    const app = await catalogueApp(t, { settings: { RATE_LIMIT: '300' } })
    const { headers } = await app.inject(url)
    assert.match(String(headers['cache-control']), /^public, /)
    assert.deepEqual([headers.ratelimit, headers['ratelimit-policy']], [undefined, undefined])
    assert.equal(await countLeft(app), 299)
  })
}

test('one request too many is rejected until the window ends, with the preferred media type', async (t) => {
  const app = await testApp(t, { settings: { RATE_LIMIT: '2' } })
  for (const status of [200, 200, 429]) {
    await t.test(String(status), async () => {
      assert.equal((await app.inject('/mirror/query')).statusCode, status)
    })
  }
  const forms = [
    ['application/json', /^application\/problem\+json/, /"violated-policies":\["default"\]/],
    [
      'text/plain',
      /^text\/plain/,
      /^A client may send 2 requests per minute \(RATE_LIMIT\)\..*\n$/,
    ],
    [browserAccept, /^text\/html/, /Too Many Requests/],
  ] as const
  for (const [accept, type, words] of forms) {
    await t.test(accept, async () => {
      const url = '/mirror/query'
      const { statusCode, headers, body } = await app.inject({
        url,
        headers: { accept, origin: 'https://a.example' },
      })
      assert.equal(statusCode, 429)
      assert.match(String(headers['content-type']), type)
      assert.match(body, words)
      const seconds = Number(headers['retry-after'])
      assert.ok(seconds >= 1 && seconds <= 60, String(seconds))
      assert.deepEqual(readLeft(headers).default, { r: 0, t: seconds })
      assert.equal(headers['cache-control'], 'no-store')
      assert.match(String(headers['access-control-expose-headers']), /RateLimit, .*Retry-After/)
    })
  }
})

const unusual: readonly TestRequest[] = [
  { path: '/nowhere' },
  { path: '/%ff' },
  { path: '/topic.html' },
  { path: '/mirror/query?a=%ff' },
  { path: '/people/none' },
  { method: 'DELETE', path: '/people' },
  { method: 'PROPFIND', path: '/' },
  { method: 'HEAD', path: '/' },
  { method: 'OPTIONS', path: '/people' },
  {
    method: 'OPTIONS',
    path: '/people',
    headers: { origin: 'https://other.example', 'access-control-request-method': 'POST' },
  },
  { method: 'POST', path: '/people', headers: { 'sec-fetch-site': 'cross-site' } },
  { path: '/mirror/query', headers: { host: 'no host' } },
  { path: '/mirror/query', headers: { expect: 'more' } },
  { method: 'POST', path: '/users/post', body: '{', headers: { 'content-type': 'text/json' } },
]

test('every request counts, over a socket too, and its response has the counters', async (t) => {
  const app = await catalogueApp(t, { settings: { RATE_LIMIT: '1000' } })
  for (const request of unusual) {
    const what = `${request.method ?? 'GET'} ${request.path}`
    const before = await countLeft(app)
    const { headers } = await sendOverSocket(app, request)
    assert.equal(readLeft(headers).default?.r, before - 2, what)
    assert.equal(await countLeft(app), before - 2, what)
  }
})

test('requests without a route are rejected too', async (t) => {
  const app = await testApp(t, { settings: { RATE_LIMIT: '1' } })
  await app.inject('/mirror/query')
  for (const request of unusual) {
    await t.test(`${request.method ?? 'GET'} ${request.path}`, async () => {
      const { status, headers } = await sendOverSocket(app, request)
      assert.equal(status, 429)
      assert.equal(readLeft(headers).default?.r, 0)
    })
  }
})

test('probes are not counted, and never rejected', async (t) => {
  const app = await testApp(t, { settings: { RATE_LIMIT: '1' } })
  for (const url of ['/health', '/health/', '/%68ealth', '/health?a=b']) {
    await t.test(url, async () => {
      const { statusCode, headers } = await app.inject(url)
      assert.notEqual(statusCode, 429)
      assert.equal(headers.ratelimit, undefined)
    })
  }
  assert.equal(await countLeft(app), 1)
  assert.equal((await app.inject('/health')).statusCode, 200)
  assert.equal((await app.inject('/healthy')).statusCode, 429)
})

test('every client has its own limit, and an IPv6 network is one client', async (t) => {
  const app = await testApp(t, { settings: { RATE_LIMIT: '10' } })
  assert.equal(await countLeft(app, '192.0.2.1'), 10)
  assert.equal(await countLeft(app, '192.0.2.2'), 10)
  assert.equal(await countLeft(app, '::ffff:192.0.2.1'), 9)
  assert.equal(await countLeft(app, '2001:db8::1'), 10)
  assert.equal(await countLeft(app, '2001:db8::2'), 9)
  assert.equal(await countLeft(app, '2001:db8:0:1::1'), 10)
})

test('no header of an untrusted client changes its key', async (t) => {
  const app = await testApp(t, {
    settings: { RATE_LIMIT: '100', ALLOWED_HOSTS: 'localhost', TRUSTED_PROXIES: '10.0.0.0/8' },
  })
  let expected = 99
  for (const name of 'x-forwarded-for forwarded x-real-ip cf-connecting-ip client-ip'.split(' ')) {
    await t.test(name, async () => {
      const value = name === 'forwarded' ? 'for=198.51.100.7' : '198.51.100.7'
      const { headers } = await app.inject({ url: '/mirror/query', headers: { [name]: value } })
      assert.equal(readLeft(headers).default?.r, expected)
      expected -= 1
    })
  }
})

for (const TRUSTED_PROXIES of ['', '10.0.0.0/8']) {
  test(`a proxy that is not in TRUSTED_PROXIES=${TRUSTED_PROXIES} is logged once`, async (t) => {
    const settings = { RATE_LIMIT: '100', ALLOWED_HOSTS: 'localhost', TRUSTED_PROXIES }
    const app = await testApp(t, { settings })
    const send = (remoteAddress: string, forwarded: string) =>
      app.inject({ url: '/mirror/query', remoteAddress, headers: { 'x-forwarded-for': forwarded } })
    const findWarnings = () => app.logLines.filter((line) => line.includes('TRUSTED_PROXIES'))
    if (TRUSTED_PROXIES !== '')
      for (const forwarded of ['192.0.2.1', '10.0.0.1']) await send('10.0.0.1', forwarded)
    assert.equal(findWarnings().length, 0)
    for (const forwarded of ['192.0.2.1', '192.0.2.2']) await send('192.0.2.9', forwarded)
    assert.equal(findWarnings().length, 1)
  })
}

test('clients behind a trusted proxy are distinguished, whatever they forward themselves', async (t) => {
  const TRUSTED_PROXIES = '10.0.0.0/8, 2001:db8::/32'
  const settings = { RATE_LIMIT: '100', ALLOWED_HOSTS: 'localhost', TRUSTED_PROXIES }
  const app = await testApp(t, { settings })
  const send = async (forwardedFor: string, remoteAddress = '10.0.0.1') => {
    const headers = { 'x-forwarded-for': forwardedFor, forwarded: 'for=203.0.113.9' }
    const response = await app.inject({ url: '/mirror/query', remoteAddress, headers })
    return readLeft(response.headers).default?.r
  }
  assert.equal(await send('192.0.2.1'), 99)
  assert.equal(await send('192.0.2.2'), 99)
  assert.equal(await send('198.51.100.7, 192.0.2.1'), 98)
  assert.equal(await send('192.0.2.1, 10.9.9.9'), 97)
  assert.equal(await send('192.0.2.1', '::ffff:10.0.0.1'), 96)
  assert.equal(await send('192.0.2.1:4711', '2001:db8::1'), 95)
  // An invalid address is counted for the proxy.
  assert.equal(await send('nonsense'), 99)
  assert.equal(await send('more nonsense, '), 98)
  assert.equal(await send('192.0.2.1', '192.0.2.200'), 99)
})

for (const [method, url] of [
  ['GET', '/health/nothing'],
  ['GET', '/assets/nothing'],
  ['POST', '/health'],
  ['POST', '/health/nothing'],
  ['POST', '/health?_method=GET'],
  ['POST', '/assets/base.css'],
  ['OPTIONS', '/health'],
] as const) {
  test(`${method} ${url} is counted`, async (t) => {
    const app = await testApp(t, { settings: { RATE_LIMIT: '1' } })
    assert.notEqual((await app.inject({ method, url })).headers.ratelimit, undefined)
    assert.equal((await app.inject({ method, url })).statusCode, 429)
  })
}

test('probes and the assets of pages have responses over the limit', async (t) => {
  const app = await testApp(t, { settings: { RATE_LIMIT: '1' } })
  assert.equal((await app.inject('/')).statusCode, 200)
  assert.equal((await app.inject('/')).statusCode, 429)
  for (const url of ['/health', '/health/ready', '/assets/base.css']) {
    await t.test(url, async () => {
      assert.equal((await app.inject(url)).statusCode, 200)
    })
  }
})
