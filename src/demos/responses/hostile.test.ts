import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendRaw } from '../../../test/support/request-both-ways.ts'
import { testApp, useApp } from '../../../test/support/test-app.ts'

const hostile: readonly (readonly [name: string, value: string])[] = [
  ['Set-Cookie', 'session=stolen'],
  ['Set-Cookie', '__Host-session=stolen; Secure; Path=/'],
  ['Set-Cookie', 'FLASH=stolen'],
  ['Content-Security-Policy', "default-src 'self' 'unsafe-inline'"],
  ['X-Content-Type-Options', 'none'],
  ['Strict-Transport-Security', 'max-age=0'],
  ['Access-Control-Allow-Origin', 'http://stolen.example'],
  ['Location', 'http://stolen.example/'],
  ['Refresh', '0; url=//stolen.example'],
  ['Clear-Site-Data', '"*"'],
  ['Alt-Svc', 'h2="stolen.example:443"'],
  ['Content-Length', '99'],
  ['Transfer-Encoding', 'identity'],
  ['Content-Type', 'text/javascript'],
]

const settings = { ALLOWED_REDIRECT_DOMAINS: 'none' }

const strictApp = useApp({ settings })
const sharedApp = useApp()

for (const [name, value] of hostile) {
  for (const member of ['headers', 'trailers', 'early_hints']) {
    test(`${name}: ${value} in ${member} is not sent`, async () => {
      const app = strictApp()
      const description = JSON.stringify({
        [member]: { [name]: value, 'X-Kept': 'yes' },
        body: 'a',
      })
      const length = String(Buffer.byteLength(description))
      const text = await sendRaw(
        app,
        `POST /responses/custom HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n${description}`,
      )
      // RFC 9110 §6.5.1 excludes some from trailers, which is an error.
      if (text.includes(' 400 ')) assert.match(text, new RegExp(`trailers must not have ${name}`))
      else assert.match(text, /^x-kept: yes\r$/im)
      assert.ok(!text.toLowerCase().includes(`\n${name}: ${value}`.toLowerCase()), text)
      assert.match(text, /^content-security-policy: (sandbox|default-src 'self'; img)/im)
    })
  }
}

test('with a description, cookies have the path of the demo and no domain', async () => {
  const app = sharedApp()
  const { headers } = await app.inject({
    url: '/responses/custom?cookie=a%3d1;+Domain%3dlocalhost;+Path%3d/&cookie=session%3d1',
  })
  assert.equal(headers['set-cookie'], 'a=1; Path=/responses')
})

test('the response names the headers that were left out', async (t) => {
  const app = await testApp(t, { settings: { ALLOWED_REDIRECT_DOMAINS: 'none' } })
  const given = ['Location:https://evil.example/', 'X-Accel-Redirect:/x', 'Set-Cookie:session=1']
  const query = given.map((header) => `&header=${encodeURIComponent(header)}`).join('')
  const { headers } = await app.inject(`/responses/custom?status=302${query}`)
  assert.equal(headers['vitrine-dropped-headers'], 'location, x-accel-redirect, set-cookie')
  const { headers: others } = await app.inject('/responses/custom?status=302&header=Location:/a')
  assert.deepEqual([others.location, others['vitrine-dropped-headers']], ['/a', undefined])
})

test('line breaks in values become spaces', async () => {
  const app = sharedApp()
  const description = {
    headers: { 'X-A': 'a\r\nSet-Cookie: session=1' },
    early_hints: { Link: 'a\r\nb' },
  }
  const url = `/responses/custom?description=${encodeURIComponent(JSON.stringify(description))}`
  const text = await sendRaw(
    app,
    `GET ${url} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
  )
  assert.match(text, /^X-A: a {2}Set-Cookie: session=1\r$/m)
  assert.match(text, /^link: a {2}b\r$/m)
})

test('a response that caches may keep has no exchange id', async (t) => {
  const app = sharedApp()
  const controls = ['Cache-Control: max-age=60', 'CDN-Cache-Control: max-age=60']
  for (const header of [...controls, 'Expires: x', 'Last-Modified: x']) {
    await t.test(header, async () => {
      const url = `/responses/custom?header=${encodeURIComponent(header)}`
      const { headers } = await app.inject({ url, headers: { accept: 'text/html' } })
      assert.ok(!('x-request-id' in headers) && !('server-timing' in headers))
    })
  }
})

test('any site may send any request, and errors are read without credentials only', async () => {
  const app = sharedApp()
  const headers = { origin: 'http://other.example', 'x-http-method-override': 'DELETE' }
  const url = '/responses/custom?_method=DELETE'
  const failed = await app.inject({ method: 'POST', url, headers })
  assert.equal(failed.statusCode, 400)
  assert.equal(failed.headers['access-control-allow-origin'], '*')
  assert.equal(failed.headers['access-control-allow-credentials'], undefined)
  const sent = await app.inject({ method: 'POST', url: '/responses/custom?status=201', headers })
  assert.equal(sent.statusCode, 201)
  assert.equal(sent.headers['access-control-allow-origin'], 'http://other.example')
  const preflight = await app.inject({
    method: 'OPTIONS',
    url: '/responses/custom?status=500',
    headers: { ...headers, 'access-control-request-method': 'PUT' },
  })
  assert.equal(preflight.statusCode, 204)
  assert.match(String(preflight.headers['access-control-allow-methods']), /PUT/)
})

const ofOtherSite = [
  ['/responses/custom', 'QUERY', 200],
  ['/responses/sequence/a/state', 'DELETE', 204],
  ['/responses/sequence/a/state', 'PUT', 405],
  ['/responses/custom/none', 'GET', 404],
] as const

for (const [url, method, status] of ofOtherSite) {
  test(`another site can send ${method} ${url}, and read the response`, async () => {
    const app = sharedApp()
    const headers = { origin: 'http://other.example', 'access-control-request-method': method }
    const { headers: permission } = await app.inject({ method: 'OPTIONS', url, headers })
    if (status < 400)
      assert.match(String(permission['access-control-allow-methods']), RegExp(method))
    for (const options of [
      { method: 'OPTIONS', url, headers },
      { method, url, headers },
    ] as const) {
      const response = await app.inject(options)
      assert.match(String(response.headers['access-control-allow-origin']), /^(\*|http:\/\/other)/)
      if (options.method === method) assert.equal(response.statusCode, status)
    }
  })
}

test('scripts of another site can read all headers that are described', async () => {
  const url = '/responses/custom?header=Retry-After:1&header=X-A:1'
  const headers = { origin: 'http://other.example' }
  const { headers: sent } = await sharedApp().inject({ url, headers })
  assert.match(String(sent['access-control-expose-headers']), /^retry-after, x-a,/)
})
