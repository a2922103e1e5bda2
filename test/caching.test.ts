import type { FastifyInstance } from 'fastify'
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { withoutPatterns } from '../src/http/openapi/route.ts'
import { createExamples } from './examples.ts'
import { isEndless, isRaw, listRoutes } from './routes.ts'
import { testApp } from './test-app.ts'

/** An address of every GET route, at which there is something. */
async function openEverything(t: TestContext): Promise<{ app: FastifyInstance; urls: string[] }> {
  const app = await testApp(t)
  const ids = await createExamples(app)
  const routes = (await listRoutes(app)).filter(
    ({ methods, path }) => methods.includes('GET') && !isRaw(path) && !isEndless(path),
  )
  const urls = routes.map(({ path }) =>
    withoutPatterns(path)
      .replace(/^\/\*$/, '/topic.html')
      .replace(/^\/user:id.*/, '/user42')
      .replace(':code', '200')
      .replace('/learn/:slug', '/learn/caching')
      .replace(':slug', 'not-found')
      .replace(/^(\/\w+)\/:id/, (_, demo: string) => `${demo}/${ids[demo] ?? ''}`),
  )
  assert.ok(urls.length > 30)
  return { app, urls }
}

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
        else assert.match(url, /^\/(problems|learn|assets|favicon)/, line)
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
