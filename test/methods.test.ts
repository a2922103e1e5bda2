import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutPatterns } from '../src/http/openapi/route.ts'
import { isRaw } from './support/routes.ts'
import { catalogueApp, type TestApp } from './support/test-app.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** The methods of each path, but of those where OPTIONS has a handler. */
function readMethods(app: TestApp): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const { method, url } of app.declaredRoutes) {
    const own = [method].flat()
    // `/user/create` has the methods of `/user/:id` too.
    if (own.includes('OPTIONS') || isRaw(app, url) || url === '/user/create') continue
    const path = withoutPatterns(url).replaceAll(/:\w+/g, '200')
    const all = own.includes('GET') ? [...own, 'HEAD'] : own
    found.set(path, new Set([...(found.get(path) ?? ['OPTIONS']), ...all]))
  }
  return found
}

test('OPTIONS lists the methods of a path, and any other gets 405, also with a trailing slash', async (t) => {
  const app = await catalogueApp(t)
  const paths = readMethods(app)
  assert.ok(paths.size > 90, String(paths.size))
  for (const [path, offered] of paths) {
    await t.test(path, async () => {
      for (const url of path === '/' ? [path] : [path, `${path}/`]) {
        const options = await app.inject({ method: 'OPTIONS', url })
        assert.deepEqual([options.statusCode, options.body], [204, ''], url)
        assert.deepEqual(new Set(String(options.headers.allow).split(', ')), offered, url)
        for (const method of methods.filter((name) => !offered.has(name))) {
          const { statusCode, headers } = await app.inject({ method, url })
          assert.equal(statusCode, 405, `${method} ${url}`)
          assert.equal(headers.allow, options.headers.allow, `${method} ${url}`)
        }
      }
    })
  }
})
