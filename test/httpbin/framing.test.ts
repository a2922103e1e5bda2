import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendRaw } from '../support/watched-vitrine.ts'
import { catalogueApp, testApp } from '../support/test-app.ts'

test('go-httpbin: the framing is as in the original', async (t) => {
  const app = await testApp(t, { settings: { DEMOS: 'go-httpbin' } })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const rows = {
    'HEAD /get': /^(?!.*content-length)/is,
    'HEAD /nothing': /^(?!.*content-length)/is,
    'HEAD /image/png': /^(?!.*content-length)/is,
    'HEAD /bytes/5': /content-length: 5\r/i,
    'HEAD /range/26': /content-length: 26\r/i,
    'HEAD /gzip': /content-length: \d/i,
    'GET /trailers': /transfer-encoding: chunked/i,
    'GET /get': /content-length: \d/i,
  }
  for (const [line, format] of Object.entries(rows)) {
    await t.test(line, async () => {
      const request = `${line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`
      assert.match((await sendRaw(origin, request)).text, format)
    })
  }
})

test('go-httpbin: Base64 longer than the limit gets 400', async (t) => {
  const app = await catalogueApp(t, { settings: { MAX_BODY_BYTES: '8' } })
  for (const path of ['', 'encode/', 'decode/', 'other/']) {
    const { statusCode, body } = await app.inject(`/go-httpbin/base64/${path}${'YWFh'.repeat(3)}`)
    assert.equal(statusCode, 400)
    assert.match(body, /input data exceeds max length of 8/)
  }
})

test('go-httpbin: the ETag of /cache is a hash of its date', async (t) => {
  const app = await catalogueApp(t)
  const { headers } = await app.inject('/go-httpbin/cache')
  const date = Buffer.from(String(headers['last-modified'])).toString('hex')
  assert.equal(headers.etag, `${date}da39a3ee5e6b4b0d3255bfef95601890afd80709`)
})

// RFC 9110 §8.6: a 204 has no Content-Length, also if the size of its body was known.
for (const path of [
  '/httpbin/status/204',
  '/httpbin/drip?duration=0&delay=0&code=204',
  '/go-httpbin/drip?duration=0&delay=0&code=204',
  '/responses/custom?status=204',
  '/responses/custom?status=204&chunk_size=1',
]) {
  for (const method of ['GET', 'HEAD']) {
    test(`${method} ${path} has no Content-Length`, async (t) => {
      const app = await testApp(t, { settings: { DEMOS: 'httpbin,go-httpbin,responses' } })
      const origin = await app.listen({ host: '127.0.0.1', port: 0 })
      const line = `${method} ${path} HTTP/1.1`
      const fields = ['Host: localhost', 'Connection: close', '', '']
      const { text } = await sendRaw(origin, [line, ...fields].join('\r\n'))
      assert.match(text, /^HTTP\/1\.1 204 [^]*\r\n\r\n$/)
      assert.doesNotMatch(text, /^(content-length|transfer-encoding):/im)
    })
  }
}
