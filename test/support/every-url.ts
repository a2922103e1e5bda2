import assert from 'node:assert/strict'
import { withoutPatterns } from '../../src/http/openapi/route.ts'
import { createExamples } from './examples.ts'
import { isEndless, isRaw, listRoutes } from './routes.ts'
import { catalogueApp, type OpeningTest, type TestApp } from './test-app.ts'

/** A URL of every GET route of the service's own, at which there is something. */
export async function openEverything(
  t: OpeningTest,
  settings: Record<string, string> = {},
): Promise<{ app: TestApp; urls: string[] }> {
  const app = await catalogueApp(t, { settings })
  const ids: Record<string, string | undefined> = {
    ...(await createExamples(app)),
    '/inspector': String((await app.inject('/health')).headers['x-request-id']),
  }
  const routes = (await listRoutes(app)).filter(
    ({ methods, path }) => methods.includes('GET') && !isRaw(app, path) && !isEndless(path),
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
  // The lists of the inspector come first, because each request makes them longer.
  const isOfInspector = (url: string) => Number(url.startsWith('/inspector'))
  return { app, urls: urls.toSorted((a, b) => isOfInspector(b) - isOfInspector(a)) }
}
