import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { catalogueApp } from '../support/test-app.ts'

/** The reason phrase, and names of headers with the letters that the services send. */
const rows: readonly (readonly [path: string, reason: string, ...names: readonly string[]])[] = [
  ['/httpbin/cookies/set?a=1&b=2', 'FOUND', 'Location', 'Set-Cookie', 'Content-Type'],
  ['/httpbin/basic-auth/a/b', 'UNAUTHORIZED', 'WWW-Authenticate', 'Access-Control-Allow-Origin'],
  ['/httpbin/etag/a', 'OK', 'ETag'],
  ['/httpbin/response-headers?x-aBc=1&etag=2', 'OK', 'x-aBc', 'etag', 'Content-Length'],
  ['/httpbin/post', 'METHOD NOT ALLOWED', 'Allow'],
  ['/httpbin/status/207', 'MULTI STATUS'],
  ['/httpbin/status/418', "I'M A TEAPOT", 'X-More-Info'],
  ['/httpbin/status/413', 'REQUEST ENTITY TOO LARGE'],
  ['/httpbin/status/599', 'UNKNOWN'],
  ['/go-httpbin/cookies/set?a=1', 'Found', 'Location', 'Set-Cookie'],
  ['/go-httpbin/basic-auth/a/b', 'Unauthorized', 'Www-Authenticate', 'Content-Type'],
  ['/go-httpbin/etag/a', 'OK', 'Etag'],
  ['/go-httpbin/response-headers?x-aBc=1', 'OK', 'X-Abc'],
  ['/go-httpbin/status/418', "I'm a teapot"],
  ['/go-httpbin/status/422', 'Unprocessable Entity'],
  ['/go-httpbin/status/599', 'status code 599'],
]

for (const [path, reason, ...expected] of rows) {
  test(`${path}: the reason phrase and the names of headers, as the service sends them`, async (t) => {
    const app = await catalogueApp(t)
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const sent = request(url + path, { agent: false }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    response.resume()
    assert.equal(response.statusMessage, reason)
    const names = new Set(response.rawHeaders.filter((_, index) => index % 2 === 0))
    assert.deepEqual(
      expected.filter((name) => !names.has(name)),
      [],
    )
  })
}
