import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendBothWays, ownHost, ownOrigin } from '../../../test/support/request-both-ways.ts'
import { mirror } from '../../../test/support/mirror.ts'
import { catalogueApp, useApp } from '../../../test/support/test-app.ts'

type Headers = Readonly<Record<string, string>>
type Row = readonly [status: number, headers: Headers]

const allowedOrigin = 'https://friend.example'
const settings = { CORS_ORIGINS: `${allowedOrigin},http://localhost:5173` }
const writes = ['POST', 'PUT', 'PATCH', 'DELETE']

const [mirrored, friendly] = [useApp({ demos: [mirror] }), useApp({ demos: [mirror], settings })]

const rows: readonly Row[] = [
  [200, {}],
  [200, { 'sec-fetch-site': 'same-origin' }],
  [200, { 'sec-fetch-site': 'none' }],
  [403, { 'sec-fetch-site': 'same-site' }],
  [403, { 'sec-fetch-site': 'cross-site' }],
  [403, { 'sec-fetch-site': 'something-new' }],
  [200, { origin: ownOrigin }],
  [200, { origin: `${ownOrigin}:80` }],
  [200, { origin: `HTTP://${ownHost.toUpperCase()}` }],
  [403, { origin: 'null' }],
  [403, { origin: '' }],
  [403, { origin: `https://${ownHost}` }],
  [403, { origin: `${ownOrigin}:8080` }],
  [403, { origin: `http://www.${ownHost}` }],
  [403, { origin: `http://${ownHost}.evil.example` }],
  [403, { origin: `http://${ownHost}@evil.example` }],
  [403, { origin: ownHost }],
  // Where both speak, Sec-Fetch-Site has the word: a proxy may have changed our own host.
  [200, { 'sec-fetch-site': 'same-origin', origin: 'http://behind-a-proxy.example' }],
  [200, { 'sec-fetch-site': 'none', origin: 'null' }],
  [403, { 'sec-fetch-site': 'cross-site', origin: ownOrigin }],
  [200, { origin: allowedOrigin }],
  [200, { origin: allowedOrigin, 'sec-fetch-site': 'cross-site' }],
  [200, { origin: 'http://localhost:5173', 'sec-fetch-site': 'same-site' }],
  [403, { origin: 'http://localhost:5174' }],
  [403, { origin: 'http://friend.example' }],
  [403, { origin: `${allowedOrigin}.evil.example` }],
  [403, { origin: `${allowedOrigin}:444` }],
]

test('an unsafe request is checked by Sec-Fetch-Site, else by Origin, and CORS_ORIGINS allows more', async (t) => {
  const app = friendly()
  for (const method of writes) {
    for (const [expected, headers] of rows) {
      await t.test(`${method} ${JSON.stringify(headers)}`, async () => {
        const { status } = await sendBothWays(app, { method, path: '/mirror', headers })
        assert.equal(status, expected)
      })
    }
  }
})

test('every site may send safe requests', async (t) => {
  const app = friendly()
  for (const method of ['GET', 'HEAD', 'OPTIONS']) {
    for (const [, headers] of rows) {
      await t.test(`${method} ${JSON.stringify(headers)}`, async () => {
        const { status } = await sendBothWays(app, { method, path: '/mirror', headers })
        assert.equal(status, 200)
      })
    }
  }
})

test('without CORS_ORIGINS no other origin may write', async () => {
  const app = mirrored()
  const headers = { origin: allowedOrigin }
  const { status } = await sendBothWays(app, { method: 'POST', path: '/mirror', headers })
  assert.equal(status, 403)
})

for (const [headers, named] of [
  [{ origin: 'https://evil.example:8443' }, 'https://evil.example:8443'],
  [{ origin: 'http://evil.example/<b>' }, 'the origin of the page'],
  [{ 'sec-fetch-site': 'cross-site' }, 'the origin of the page'],
] as const) {
  test(`the 403 for ${JSON.stringify(headers)} names CORS_ORIGINS`, async () => {
    const app = mirrored()
    const { status, body } = await sendBothWays(app, { method: 'POST', path: '/mirror', headers })
    assert.equal(status, 403)
    const detail = `Cross-site writes are blocked. Add ${named} to CORS_ORIGINS to allow it. Setting CORS_ORIGINS replaces the default origins.`
    assert.equal(body.trimEnd(), detail)
  })
}

test('an unsafe request from another site to an unknown path is blocked, too', async (t) => {
  const app = await catalogueApp(t)
  const headers = { origin: 'https://evil.example' }
  for (const path of ['/nowhere', '/mirror/query', '/people', '/api/nowhere']) {
    await t.test(path, async () => {
      const { status } = await sendBothWays(app, { method: 'POST', path, headers })
      assert.deepEqual([path, status], [path, 403])
    })
  }
})

test('the method after the override is checked', async (t) => {
  const app = mirrored()
  const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  const table: [status: number, method: string, value: string][] = [
    [200, 'POST', 'GET'],
    [200, 'POST', 'HEAD'],
    [200, 'POST', 'OPTION'],
    [200, 'DELETE', 'GET'],
    [403, 'GET', 'POST'],
    [403, 'GET', 'DELETE'],
    [403, 'HEAD', 'PUT'],
    [403, 'OPTIONS', 'PATCH'],
    [403, 'POST', 'PUT'],
  ]
  for (const [expected, method, value] of table) {
    await t.test(`${method} ${value}`, async () => {
      const path = `/mirror?_method=${value}`
      const { status } = await sendBothWays(app, { method, path, headers })
      assert.deepEqual([method, value, status], [method, value, expected])
    })
  }
})

const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' }
const own = { referer: `${ownOrigin}/people` }
const sameOrigin = { 'sec-fetch-site': 'same-origin' }

const links: readonly Row[] = [
  [200, {}],
  [200, { 'user-agent': 'curl/8.0' }],
  [200, sameOrigin],
  [200, { ...browser, ...sameOrigin }],
  [200, { ...browser, ...sameOrigin, ...own }],
  [200, own],
  [200, { ...browser, ...own }],
  [200, { 'sec-purpose': 'something' }],
  [403, browser],
  [403, { ...browser, 'sec-fetch-site': 'none' }],
  [403, { 'sec-fetch-site': 'none' }],
  [403, { 'sec-fetch-site': 'same-site' }],
  [403, { 'sec-fetch-site': 'cross-site' }],
  [403, { 'sec-fetch-site': 'cross-site', ...own }],
  [403, { referer: 'https://evil.example/page' }],
  [403, { referer: `https://${ownHost}/` }],
  [403, { referer: `${ownOrigin}.evil.example/` }],
  [403, { ...browser, referer: 'https://evil.example/page' }],
  [403, { ...sameOrigin, referer: 'https://evil.example/page' }],
  [403, { ...sameOrigin, 'sec-purpose': 'prefetch' }],
  [403, { ...sameOrigin, 'sec-purpose': 'prefetch;prerender' }],
  [403, { ...sameOrigin, purpose: 'prefetch' }],
  [403, { ...own, purpose: 'Prefetch' }],
  [403, { 'sec-purpose': 'prefetch' }],
]

for (const origin of [
  'http://evil.example@localhost',
  'http://localhost/a',
  'http://localhost:*',
]) {
  test(`an unsafe request with Origin: ${origin} is cross-site`, async (t) => {
    const app = await catalogueApp(t, {
      demos: [mirror],
      settings: { CORS_ORIGINS: 'http://localhost:*' },
    })
    const headers = { host: 'localhost', origin }
    const { status } = await sendBothWays(app, { method: 'POST', path: '/mirror', headers })
    assert.equal(status, 403)
  })
}

test('a GET or HEAD overridden with an unsafe method is blocked wherever it may come from a link', async (t) => {
  const app = mirrored()
  for (const [expected, headers] of links) {
    await t.test(String(expected), async () => {
      for (const method of ['GET', 'HEAD']) {
        for (const value of writes) {
          const path = `/mirror?_method=${value}`
          const { status } = await sendBothWays(app, { method, path, headers })
          assert.equal(status, expected, `${method} → ${value} ${JSON.stringify(headers)}`)
        }
      }
      const viaHeader = { ...headers, 'x-http-method-override': 'PUT' }
      const { status } = await sendBothWays(app, { path: '/mirror', headers: viaHeader })
      assert.equal(status, expected, JSON.stringify(viaHeader))
    })
  }
})

test('a GET overridden with another safe method is never blocked', async (t) => {
  const app = mirrored()
  for (const [, headers] of links) {
    for (const value of ['GET', 'HEAD', 'OPTIONS']) {
      await t.test(`${value} ${JSON.stringify(headers)}`, async () => {
        const { status } = await sendBothWays(app, { path: `/mirror?_method=${value}`, headers })
        assert.equal(status, 200)
      })
    }
  }
})

test('the 403 for Origin: null does not suggest CORS_ORIGINS', async () => {
  const app = mirrored()
  const headers = { origin: 'null', accept: 'application/json' }
  const { status, body } = await sendBothWays(app, { method: 'POST', path: '/mirror', headers })
  assert.equal(status, 403)
  assert.match(body, /The origin null, of a sandboxed page or a file, cannot be allowed\./)
})
