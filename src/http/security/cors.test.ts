import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendBothWays, sendRaw, ownOrigin } from '../../../test/support/request-both-ways.ts'
import { mirror } from '../../../test/support/mirror.ts'
import { catalogueApp, testApp, useApp, type TestApp } from '../../../test/support/test-app.ts'

const otherOrigin = 'https://other.example'
const allowedOrigin = 'https://friend.example'
const settings = { CORS_ORIGINS: `${allowedOrigin},http://localhost:5173` }

const catalogue = useApp({}, catalogueApp)
const friendly = useApp({ settings }, catalogueApp)

const responses: readonly (readonly [status: number, method: string, path: string])[] = [
  [200, 'GET', '/people'],
  [200, 'GET', '/topic.html'],
  [200, 'GET', '/mirror/query'],
  [200, 'GET', '/assets/base.css'],
  [204, 'OPTIONS', '/people'],
  [302, 'GET', '/mirror/status/302'],
  [400, 'GET', '/mirror/query?a=%ff'],
  [400, 'GET', '/%ff'],
  [404, 'GET', '/nowhere'],
  [404, 'GET', '/api/nowhere'],
  [405, 'DELETE', '/people'],
  [414, 'GET', `/${'x'.repeat(9000)}`],
  [500, 'GET', '/mirror/status/500'],
]

test('every origin may read every response, without credentials', async (t) => {
  const app = await catalogueApp(t, { settings: { CORS_ORIGINS: 'none' } })
  for (const [expected, method, path] of responses) {
    for (const origin of [undefined, otherOrigin, 'null']) {
      if (origin !== undefined && method === 'DELETE') continue
      const request = { method, path, headers: origin === undefined ? {} : { origin } }
      const { status, headers } = await sendBothWays(app, request)
      assert.deepEqual([path, status], [path, expected])
      assert.equal(headers['access-control-allow-origin'], '*', path)
      const exposed = headers['access-control-expose-headers']
      if (origin === undefined) assert.equal(exposed, undefined, path)
      else assert.match(exposed ?? '', /\bETag, Idempotency-Replayed, Link, Location\b/, path)
      assert.equal(headers['access-control-allow-credentials'], undefined, path)
      // A cache must not send a response without the exposed headers to a script of another origin.
      assert.match(headers.vary ?? '', /\bOrigin\b/, path)
    }
  }
})

test('an origin in CORS_ORIGINS may read with credentials, and the response has Vary: Origin', async (t) => {
  const app = friendly()
  const rows = [
    [allowedOrigin, allowedOrigin, 'true'],
    ['http://localhost:5173', 'http://localhost:5173', 'true'],
    [otherOrigin, '*', undefined],
    [`${allowedOrigin}.evil.example`, '*', undefined],
    ['null', '*', undefined],
    ['', '*', undefined],
    [undefined, '*', undefined],
  ] as const
  for (const [origin, allowed, credentials] of rows) {
    for (const path of '/session /people /nowhere /%ff /topic.html /mirror/status/304'.split(' ')) {
      await t.test(`${path} ${String(origin)}`, async () => {
        const headers = origin === undefined ? {} : { origin }
        const { headers: responseHeaders } = await sendBothWays(app, { path, headers })
        assert.deepEqual(
          [
            responseHeaders['access-control-allow-origin'],
            responseHeaders['access-control-allow-credentials'],
          ],
          [allowed, credentials],
        )
        assert.match(responseHeaders.vary ?? '', /\bOrigin\b/)
      })
    }
  }
})

test('every origin may read an error from before routing, too', async () => {
  const app = catalogue()
  const response = await sendRaw(app, 'NONSENSE / HTTP/1.1\r\nhost: a\r\n\r\n')
  assert.match(response, /^HTTP\/1.1 400 /)
  assert.match(response, /^access-control-allow-origin: \*\r$/m)
  assert.match(response, /^cache-control: no-store\r$/m)
})

test('the response to a preflight lists the methods that the origin may use', async (t) => {
  const app = friendly()
  const all = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'
  const rows: [
    origin: string,
    path: string,
    method: string,
    allowed: string,
    isAllowed: boolean,
  ][] = [
    [otherOrigin, '/places/1', 'GET', 'GET, HEAD, OPTIONS', true],
    [otherOrigin, '/places/1', 'PUT', 'GET, HEAD, OPTIONS', false],
    [otherOrigin, '/mirror/field', 'POST', 'OPTIONS', false],
    [otherOrigin, '/topic.html', 'GET', 'GET, HEAD, OPTIONS', true],
    [otherOrigin, '/mirror', 'DELETE', 'GET, HEAD, OPTIONS', false],
    [otherOrigin, '/mirror/status/404', 'GET', 'GET, HEAD, OPTIONS', true],
    ['null', '/places/1', 'DELETE', 'GET, HEAD, OPTIONS', false],
    [allowedOrigin, '/places/1', 'PUT', 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS', true],
    [allowedOrigin, '/places/1', 'POST', 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS', false],
    [allowedOrigin, '/mirror/field', 'POST', 'POST, OPTIONS', true],
    [allowedOrigin, '/topic.html', 'POST', 'GET, HEAD, OPTIONS', false],
    [allowedOrigin, '/mirror', 'DELETE', all, true],
    [allowedOrigin, '/mirror/status/404', 'PATCH', all, true],
    [ownOrigin, '/mirror/field', 'POST', 'POST, OPTIONS', true],
  ]
  for (const [origin, path, method, allowed, isAllowed] of rows) {
    await t.test(`${origin} ${path}`, async () => {
      const headers = { origin, 'access-control-request-method': method }
      const response = await sendBothWays(app, { method: 'OPTIONS', path, headers })
      const line = `${origin} ${method} ${path}`
      assert.equal(response.status, 204, line)
      assert.equal(withoutQuery(response.headers['access-control-allow-methods']), allowed, line)
      const fields = response.headers['access-control-allow-headers']
      assert.equal(fields !== undefined, isAllowed, line)
      if (isAllowed) assert.match(fields ?? '', /\bIf-Match\b.*\bX-HTTP-Method-Override\b/)
      assert.equal(response.headers['access-control-max-age'], '600')
    })
  }
})

function withoutQuery(methods = ''): string {
  return methods.replace('QUERY, ', '')
}

test('a preflight for an unknown path gets 204, so that the script can read the 404', async (t) => {
  const app = catalogue()
  const headers = { origin: otherOrigin, 'access-control-request-method': 'GET' }
  for (const path of ['/nowhere', '/nowhere.html', '/api/nowhere']) {
    await t.test(path, async () => {
      const { status } = await sendBothWays(app, { method: 'OPTIONS', path, headers })
      assert.deepEqual([path, status], [path, 204])
      const { status: itself } = await sendBothWays(app, { path, headers: { origin: otherOrigin } })
      assert.deepEqual([path, itself], [path, 404])
    })
  }
})

for (const sent of ['X-Trace, x-other', 'x-trace,,', 'if-match,X-Trace']) {
  test(`a preflight for a GET allows the requested ${sent}`, async (t) => {
    const app = catalogue()
    const headers = {
      origin: otherOrigin,
      'access-control-request-method': 'GET',
      'access-control-request-headers': sent,
    }
    for (const path of ['/people', '/topic.html', '/mirror/status/200', '/nowhere']) {
      await t.test(path, async () => {
        const response = await sendBothWays(app, { method: 'OPTIONS', path, headers })
        const listed = (response.headers['access-control-allow-headers'] ?? '')
          .toLowerCase()
          .split(', ')
        for (const name of sent.toLowerCase().split(/[ ,]+/).filter(Boolean)) {
          assert.equal(listed.filter((one) => one === name).length, 1, `${path} ${name}`)
        }
      })
    }
  })
}

const localRows: readonly (readonly [isAllowed: boolean, origin: string, HOST: string])[] = [
  [true, 'http://localhost:5173', '127.0.0.1'],
  [true, 'http://localhost', '127.0.0.1'],
  [true, 'http://127.0.0.1:8080', '127.0.0.1'],
  [true, 'http://localhost:5173', '::1'],
  [true, 'https://localhost:5173', '127.0.0.1'],
  [true, 'http://[::1]:5173', '127.0.0.1'],
  [false, 'http://localhost.evil.example:5173', '127.0.0.1'],
  [false, 'http://app.localhost:5173', '127.0.0.1'],
  [false, 'http://localhost:5173.evil.example', '127.0.0.1'],
  [false, 'null', '127.0.0.1'],
  [false, 'http://localhost:5173', '0.0.0.0'],
]

const apps: Readonly<Record<string, () => TestApp>> = Object.fromEntries(
  ['127.0.0.1', '::1', '0.0.0.0'].map((HOST) => [
    HOST,
    useApp({ settings: { HOST }, demos: [mirror] }),
  ]),
)
for (const [isAllowed, origin, HOST] of localRows) {
  test(`with HOST=${HOST} ${origin} may ${isAllowed ? '' : 'not '}write by default`, async () => {
    const app = apps[HOST]?.() ?? assert.fail()
    const headers = { origin, 'sec-fetch-site': 'cross-site' }
    const response = await sendBothWays(app, { method: 'POST', path: '/mirror', headers })
    assert.equal(response.status, isAllowed ? 200 : 403)
    assert.equal(response.headers['access-control-allow-origin'], isAllowed ? origin : '*')
    const credentials = isAllowed ? 'true' : undefined
    assert.equal(response.headers['access-control-allow-credentials'], credentials)
    const preflight = await sendBothWays(app, {
      method: 'OPTIONS',
      path: '/mirror',
      headers: { ...headers, 'access-control-request-method': 'PUT' },
    })
    const methods = preflight.headers['access-control-allow-methods'] ?? ''
    assert.equal(methods.includes('PUT'), isAllowed)
  })
}

for (const settings of [
  { CORS_ORIGINS: 'none' },
  { CORS_ORIGINS: allowedOrigin },
  { TRUSTED_PROXIES: '10.0.0.1', ALLOWED_HOSTS: '*' },
]) {
  test(`with ${JSON.stringify(settings)} no other local origin may write`, async (t) => {
    const app = await testApp(t, { settings, demos: [mirror] })
    const headers = { origin: 'http://localhost:5173' }
    const { status } = await sendBothWays(app, { method: 'POST', path: '/mirror', headers })
    assert.equal(status, 403)
  })
}

test('OPTIONS without the headers of a preflight is not handled as a preflight', async () => {
  const app = catalogue()
  const { headers } = await sendBothWays(app, {
    method: 'OPTIONS',
    path: '/people',
    headers: { origin: otherOrigin },
  })
  assert.match(headers.allow ?? '', /POST/)
  assert.equal(headers['access-control-allow-methods'], undefined)
})

test('a preflight never executes the method that it names', async () => {
  const app = friendly()
  await app.inject({ method: 'PUT', url: '/places/one', payload: { name: 'One' } })
  const headers = { origin: allowedOrigin, 'access-control-request-method': 'POST' }
  const path = '/places/one?_method=DELETE'
  assert.equal((await sendBothWays(app, { method: 'OPTIONS', path, headers })).status, 204)
  assert.equal((await app.inject('/places/one')).statusCode, 200)
})

test('OPTIONS * lists the methods of the server, for a preflight too', async (t) => {
  const app = catalogue()
  const preflight = `origin: ${otherOrigin}\r\naccess-control-request-method: PUT\r\n`
  for (const more of ['', preflight]) {
    await t.test(more, async () => {
      const message = `OPTIONS * HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n${more}\r\n`
      const response = await sendRaw(app, message)
      assert.match(response, /^HTTP\/1.1 204 /)
      assert.match(response, /^allow: GET, HEAD, .*POST, PUT, PATCH, DELETE, OPTIONS\r$/m)
      assert.doesNotMatch(response, /content-length|access-control-allow-headers/i)
    })
  }
})

for (const [origin, method, isLogged] of [
  [otherOrigin, 'POST', true],
  [otherOrigin, 'GET', false],
  [allowedOrigin, 'POST', false],
] as const) {
  test(`a preflight for ${method} from ${origin} is ${isLogged ? '' : 'not '}logged with the name of the setting`, async (t) => {
    const app = await catalogueApp(t, { settings })
    const headers = { origin, 'access-control-request-method': method }
    await sendBothWays(app, { method: 'OPTIONS', path: '/people', headers })
    const expected = `"msg":"${origin} may not send ${method}: it is not in CORS_ORIGINS"`
    assert.equal(
      app.logLines.some((line) => line.includes(expected)),
      isLogged,
    )
  })
}

for (const [name, sent, shown] of [
  ['credentials and a query', 'https://ann:secret@evil.example/?token=1', 'https://evil.example'],
  ['a control character', 'https://evil.example\u009b31m', 'null'],
  ['20,000 characters', `https://${'a.'.repeat(10_000)}example`, `https://${'a.'.repeat(146)}`],
] as const) {
  test(`the log of a failed preflight from an origin with ${name} has its start only`, async (t) => {
    const app = await catalogueApp(t, { settings: { ...settings, MAX_HEADER_BYTES: '65536' } })
    const headers = { origin: sent, 'access-control-request-method': 'POST' }
    await app.inject({ method: 'OPTIONS', url: '/people', headers })
    const line = app.logLines.find((line) => line.includes('may not send')) ?? ''
    const { msg } = JSON.parse(line) as { msg: string }
    assert.equal(msg, `${shown} may not send POST: it is not in CORS_ORIGINS`)
  })
}
