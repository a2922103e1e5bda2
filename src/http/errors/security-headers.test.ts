import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendBothWays, sendRaw, type TestRequest } from '../../../test/support/request-both-ways.ts'
import { catalogueApp } from '../../../test/support/test-app.ts'

const jsonType = { 'content-type': 'application/json' }
const evil = { origin: 'https://evil.example' }

/** One of each kind of response. */
const kinds: readonly [status: number, TestRequest][] = [
  [200, { path: '/' }],
  [200, { path: '/mirror/query?a=1' }],
  [200, { path: '/topic.html' }],
  [200, { path: '/assets/base.css' }],
  [200, { path: '/people' }],
  [200, { path: '/mirror/query' }],
  [200, { method: 'HEAD', path: '/mirror/query' }],
  [200, { method: 'POST', path: '/mirror/query?_method=HEAD' }],
  [204, { method: 'OPTIONS', path: '/mirror/query' }],
  [204, { method: 'OPTIONS', path: '/topic.html' }],
  [206, { path: '/topic.html', headers: { range: 'bytes=0-3' } }],
  [302, { path: '/mirror/status/302' }],
  [304, { path: '/mirror/status/304' }],
  [400, { path: '/mirror/query?a=%ff' }],
  [400, { path: '/%ff' }],
  [400, { method: 'POST', path: '/users/post', headers: jsonType, body: '{' }],
  [403, { method: 'POST', path: '/people', headers: evil }],
  [404, { path: '/nowhere' }],
  [404, { path: '/api/nowhere' }],
  [405, { method: 'PUT', path: '/mirror/query' }],
  [414, { path: `/${'x'.repeat(9000)}` }],
  [
    415,
    {
      method: 'POST',
      path: '/mirror/field',
      headers: { 'content-encoding': 'aws-chunked' },
      body: '1',
    },
  ],
  [416, { path: '/topic.html', headers: { range: 'bytes=999999-' } }],
  [500, { path: '/mirror/status/500' }],
  [501, { method: 'PROPFIND', path: '/' }],
]

test('every kind of response has the security headers', async (t) => {
  const app = await catalogueApp(t)
  const missing: string[] = []
  for (const [expected, message] of kinds) {
    await t.test(String(expected), async () => {
      const { status, headers } = await sendBothWays(app, message)
      const line = `${message.method ?? 'GET'} ${message.path.slice(0, 30)} ${String(status)}`
      assert.equal(status, expected, line)
      for (const [name, value] of Object.entries(safeHeaders)) {
        if (!value.test(headers[name] ?? '')) missing.push(`${line}: ${name}`)
      }
    })
  }
  assert.deepEqual(missing, [])
})

const safeHeaders: Readonly<Record<string, RegExp>> = {
  'x-content-type-options': /^nosniff$/,
  'referrer-policy': /^same-origin$/,
  // No inline script, and no upgrade to HTTPS on a network without it.
  'content-security-policy': /^(?!.*unsafe-inline)(?!.*upgrade-insecure).*default-src 'self'/,
}

test('a request over the header limit gets 431, and malformed HTTP 400, both with the security headers', async (t) => {
  const app = await catalogueApp(t)
  const rows: [status: number, request: string][] = [
    [431, `GET / HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(17_000)}\r\n\r\n`],
    [431, `GET /${'y'.repeat(17_000)} HTTP/1.1\r\nhost: a\r\n\r\n`],
    [400, 'NONSENSE / HTTP/1.1\r\nhost: a\r\n\r\n'],
    [400, 'GET / HTTP/1.1\r\nhost: a\r\ncontent-length: x\r\n\r\n'],
  ]
  for (const [status, request] of rows) {
    await t.test(request, async () => {
      const response = await sendRaw(app, request)
      assert.match(response, new RegExp(`^HTTP/1.1 ${String(status)} `), response)
      assert.match(response, /x-content-type-options: nosniff/i, `${String(status)}: ${response}`)
    })
  }
})
