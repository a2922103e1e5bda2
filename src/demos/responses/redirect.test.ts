import assert from 'node:assert/strict'
import { test } from 'node:test'
import { curl, makeCertificate } from '../../../test/support/tls-client.ts'
import { sendRaw } from '../../../test/support/request-both-ways.ts'
import { startVitrine } from '../../../test/support/start-vitrine.ts'
import { testApp, type TestApp, useApp } from '../../../test/support/test-app.ts'
import { findFreePort } from '../../../test/support/free-port.ts'

const sharedApp = useApp()
const publicApp = useApp({ settings: { PRESET: 'public', DEMOS: 'responses,httpbin' } })

const path = '/responses/redirect'
const host = 'localhost:3000'

/** The status codes and the URLs of a chain, and its last response. */
async function follow(app: TestApp, url: string, most = 10) {
  const seen: [number, string][] = []
  for (;;) {
    const response = await app.inject({ url, headers: { host } })
    const { location } = response.headers
    if (location === undefined || seen.length === most) return { seen, response }
    seen.push([response.statusCode, location])
    url = location
  }
}

const chains = [
  ['1?loop=0', [[302, `${path}/0?loop=0`]]],
  ['1', [[302, `${path}/0`]]],
  [
    '3?status=301,307',
    [
      [301, `${path}/2?status=307,301`],
      [307, `${path}/1?status=301,307`],
      [301, `${path}/0?status=307,301`],
    ],
  ],
  ['1?host=127.0.0.1', [[302, `http://127.0.0.1:3000${path}/0?host=127.0.0.1`]]],
  ['1?host=LOCALHOST:4000', [[302, `http://localhost:4000${path}/0?host=LOCALHOST:4000`]]],
  ['1?host=friend.example', [[302, `http://friend.example:3000${path}/0?host=friend.example`]]],
  ['1?host=localhost:80', [[302, `http://localhost${path}/0?host=localhost:80`]]],
  [
    '2?status=301&status=307',
    [
      [301, `${path}/1?status=307,301`],
      [307, `${path}/0?status=301,307`],
    ],
  ],
  ['1?a=b%26c', [[302, `${path}/0?a=b%26c`]]],
  ['1?tag=b', [[302, `${path}/0?tag=b`]]],
] as const

for (const [query, expected] of chains) {
  test(`the chain ${query}`, async (t) => {
    const settings = { ALLOWED_REDIRECT_DOMAINS: 'friend.example', ALLOWED_HOSTS: '*' }
    const app = await testApp(t, { settings })
    const { seen, response } = await follow(app, `${path}/${query}`)
    assert.deepEqual(
      seen.map(([status, to]) => [status, decodeURI(to).replaceAll('%3A', ':')]),
      expected,
    )
    assert.equal(response.json<{ method: string }>().method, 'GET')
  })
}

test('a loop does not end', async () => {
  const { seen } = await follow(sharedApp(), `${path}/2?loop=2`, 4)
  const urls = [1, 2, 1, 2].map((hops) => [302, `${path}/${String(hops)}?loop=2`])
  assert.deepEqual(seen, urls)
})

test('each hop sets a cookie, for this demo only', async () => {
  const app = sharedApp()
  const { headers } = await app.inject(`${path}/2?cookies=1`)
  assert.equal(headers['set-cookie'], 'hop-2=1; Max-Age=600; Path=/responses')
})

for (const [url, expected] of [
  [`${path}/1?host=localhost`, /^location: http:\/\/localhost:\d+\/responses\/redirect\/0/im],
  [`${path}/1?scheme=alternate`, /^HTTP\/1\.1 400 /],
  ['/httpbin/absolute-redirect/1', /^location: http:\/\/localhost:\d+\/httpbin\/get\r/im],
  ['/httpbin/redirect-to?url=/x', /^location: \/x\r/im],
] as const) {
  test(`${url} without a host`, async () => {
    const app = publicApp()
    assert.match(await sendRaw(app, `GET ${url} HTTP/1.0\r\n\r\n`), expected)
  })
}

test('the end shows what arrived, without the cookies of the service', async () => {
  const app = sharedApp()
  const response = await app.inject({
    method: 'PATCH',
    url: `${path}/0?a=1`,
    headers: { host, cookie: 'session=secret; hop-1=1', 'x-a': '1' },
    payload: 'abc',
  })
  assert.equal(response.headers['content-security-policy'], 'sandbox')
  const { headers, ...others } = response.json<{ headers: Record<string, string> }>()
  assert.deepEqual(others, {
    method: 'PATCH',
    url: `http://${host}${path}/0?a=1`,
    cookies: { 'hop-1': '1' },
    body_bytes: 3,
  })
  assert.equal(headers.cookie, 'hop-1=1')
  assert.equal(headers['x-a'], '1')
})

const errors = [
  [400, 'x'],
  [400, '51'],
  [400, '2?status=200'],
  [400, '2?status='],
  [400, '2?loop=x'],
  [400, '2?cookies=maybe'],
  [400, '2?scheme=alternate'],
  [400, '2?host='],
  [400, '2?host=localhost@other.example'],
  [400, '2?host=localhost%2f..'],
  [400, '2?host=%5Cother.example'],
  [403, '2?host=other.example'],
  [403, '2?host=localhost.other.example'],
  [403, '2?host=8.8.8.8'],
] as const

for (const [status, query] of errors) {
  test(`${query} gets ${String(status)}, whatever the wildcards allow`, async (t) => {
    const settings = { ALLOWED_REDIRECT_DOMAINS: '*', ALLOWED_HOSTS: '*' }
    const app = await testApp(t, { settings })
    const { statusCode, headers } = await app.inject({ url: `${path}/${query}`, headers: { host } })
    assert.deepEqual([statusCode, headers.location], [status, undefined])
  })
}

test('a chain leads from HTTPS to HTTP and back', async (t) => {
  const REDIRECT_HTTP_PORT = String(await findFreePort())
  const settings = { ...(await makeCertificate(t)), REDIRECT_HTTP_PORT }
  const { origin } = await startVitrine(t, settings)
  const url = `${origin}${path}/2?scheme=alternate&status=307`
  const first = await curl(url)
  const next = `${path}/1?scheme=alternate&status=307`
  const overHttp = `http://127.0.0.1:${REDIRECT_HTTP_PORT}${next}`
  assert.ok(first.head.includes(`location: ${overHttp}\r\n`), first.head)
  // A client that has it would send HTTPS to the port for HTTP.
  assert.doesNotMatch(first.head, /^strict-transport-security/im)
  const last = await curl('-L', '-d', 'abc', url)
  const {
    method,
    url: arrived,
    body_bytes,
  } = JSON.parse(last.body.slice(last.body.indexOf('{'))) as Record<string, unknown>
  assert.equal(arrived, `${origin}${path}/0?scheme=alternate&status=307`)
  assert.deepEqual([method, body_bytes], ['POST', 3])
  const back = await curl(overHttp)
  assert.ok(back.head.includes(`location: ${origin}${next}\r\n`), back.head)
})
