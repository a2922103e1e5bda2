import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openEverything } from './support/every-url.ts'

test('every response of every GET route has Cache-Control, and errors are never stored', async (t) => {
  const { app, urls } = await openEverything(t)
  const seen = new Set<number>()
  for (const url of urls) {
    await t.test(url, async () => {
      const first = await app.inject(url)
      const { etag = '"none"', 'cache-control': expected } = first.headers
      const responses = [
        first,
        await app.inject({ url, headers: { 'if-none-match': etag } }),
        await app.inject({ url, headers: { 'if-match': '"another"' } }),
        await app.inject({ url, headers: { accept: 'image/png' } }),
        await app.inject({ url, headers: { range: 'bytes=0-0' } }),
        await app.inject({ url, headers: { range: 'bytes=9999999-' } }),
        await app.inject({ method: 'HEAD', url }),
        await app.inject({ method: 'OPTIONS', url }),
        await app.inject({ method: 'LOCK' as 'GET', url }),
        await app.inject({ method: 'POST', url, headers: { origin: 'null' } }),
        await app.inject({ method: 'PATCH', url: `${url}/nowhere` }),
        await app.inject(`${url}/nowhere/at/all`),
        await app.inject(`${url}?a=%ff`),
      ]
      for (const { statusCode, headers } of responses) {
        const cacheControl = String(headers['cache-control'])
        const line = `${url} ${String(statusCode)}: ${cacheControl}`
        const pattern = statusCode >= 400 ? /^no-store$/ : /private, no-cache|no-store|max-age=\d/
        assert.match(cacheControl, pattern, line)
        // A shared cache would hand the id of one visitor's exchange to others.
        const hasId = 'server-timing' in headers || 'x-request-id' in headers
        if (hasId) assert.match(cacheControl, /private|no-store/, line)
        else assert.match(url, /^\/(problems|learn|assets|favicon|robots)/, line)
        if ([206, 304].includes(statusCode)) assert.equal(cacheControl, expected, line)
        seen.add(statusCode)
      }
    })
  }
  assert.deepEqual(
    [...seen].toSorted(),
    [200, 204, 206, 302, 304, 400, 403, 404, 405, 406, 412, 416, 501],
  )
})

test('no response to an overridden request is stored', async (t) => {
  const { app, urls } = await openEverything(t)
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  for (const url of [...urls, '/favicon.ico', '/topic.html', '/nowhere']) {
    await t.test(url, async () => {
      const { etag = '*' } = (await app.inject(url)).headers
      const header = (value: string) => ({ 'x-http-method-override': value })
      const responses = [
        await app.inject({ url, headers: header('HEAD') }),
        await app.inject({ url, headers: header('OPTION') }),
        await app.inject({ url, headers: { ...header('HEAD'), 'if-none-match': etag } }),
        await app.inject({ url, headers: { ...header('HEAD'), accept: 'image/png' } }),
        await app.inject({ url: `${url}?_method=HEAD` }),
        await app.inject({ url: `${url}?_method=PATCH` }),
        await app.inject({ method: 'HEAD', url, headers: header('GET') }),
        await app.inject({ method: 'POST', url, headers: header('GET') }),
        await app.inject({ method: 'POST', url, headers: form, payload: '_method=GET' }),
        await app.inject({ method: 'POST', url, payload: { _method: 'HEAD' } }),
      ]
      for (const { headers } of responses) assert.equal(headers['cache-control'], 'no-store')
    })
  }
})
