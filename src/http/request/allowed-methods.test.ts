import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { testApp, useApp } from '../../../test/support/test-app.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

const DEMOS = 'bodies,users,static,people,places,mirror'
const shared = useApp({ settings: { DEMOS } })

/** Undefined for a path that is not known. */
const rows: readonly [path: string, allow: string | undefined][] = [
  ['/people/one', 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS'],
  ['/people/one.json', 'GET, HEAD, OPTIONS'],
  ['/people/one.html', 'GET, HEAD, OPTIONS'],
  ['/people/one.csv', undefined],
  ['/people/one/edit', 'GET, HEAD, OPTIONS'],
  ['/people/new', 'GET, HEAD, OPTIONS'],
  ['/people/new/edit', undefined],
  ['/people/new.json', undefined],
  ['/users/post', 'POST, OPTIONS'],
  ['/users/post/raw', 'POST, OPTIONS'],
  ['/places/post', undefined],
  ['/people/a.b', undefined],
  ['/people/a%20b', undefined],
  [`/people/${'a'.repeat(64)}`, 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS'],
  [`/people/${'a'.repeat(65)}`, undefined],
  ['/people/newer', 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS'],
  ['/mirror/status/600', undefined],
  ['/topic.html', 'GET, HEAD, OPTIONS'],
]

for (const [path, allow] of rows) {
  test(`the methods of ${path} match its Allow: ${allow ?? 'none'}`, async (t) => {
    const app = shared()
    const offered = allow?.split(', ') ?? []
    await app.inject({ method: 'PUT', url: '/people/one', payload: { name: 'Ann', password: 'x' } })
    const options = await app.inject({ method: 'OPTIONS', url: path })
    assert.deepEqual([options.statusCode, options.headers.allow], [allow ? 204 : 404, allow])
    for (const method of methods) {
      await t.test(method, async () => {
        const { statusCode, headers } = await app.inject({ method, url: path, payload: '{}' })
        const isOffered = offered.includes(method)
        const isKnown = allow !== undefined
        assert.equal(statusCode === 405, isKnown && !isOffered, `${method} ${String(statusCode)}`)
        if (statusCode === 405) assert.equal(headers.allow, allow)
        if (!isKnown) assert.equal(statusCode, 404)
      })
    }
  })
}

test('a preflight lists the methods of Allow', async () => {
  const app = shared()
  for (const [path, allow] of rows) {
    if (allow === undefined) continue
    const headers = { origin: 'http://localhost:80', 'access-control-request-method': 'GET' }
    const own = { ...headers, host: 'localhost:80' }
    const response = await app.inject({ method: 'OPTIONS', url: path, headers: own })
    assert.equal(response.headers['access-control-allow-methods'], allow, path)
  }
})

test('an id has a route exactly when the pattern of the document allows it', async (t) => {
  const app = shared()
  const { paths } = (await app.inject('/openapi.json')).json<{
    paths: Record<string, { put?: { parameters: { schema: { pattern: string } }[] } }>
  }>()
  const pattern = paths['/people/{id}']?.put?.parameters[0]?.schema.pattern ?? ''
  for (const id of ['one', 'a.b', 'a b', '', 'a'.repeat(64), 'a'.repeat(65), 'é', 'a~', '-_']) {
    await t.test(id, async () => {
      const url = `/people/${encodeURIComponent(id) || '%20'}`
      const { statusCode } = await app.inject({ method: 'OPTIONS', url })
      assert.equal(statusCode === 204, new RegExp(pattern).test(id))
    })
  }
})

test('the methods of a file and of a route with one path are listed together', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-'))
  t.after(() => {
    rmSync(folder, { recursive: true })
  })
  mkdirSync(join(folder, 'mirror'))
  writeFileSync(join(folder, 'mirror/field'), 'a file')
  const app = await testApp(t, { settings: { DEMOS, PUBLIC_DIR: folder } })
  const url = '/mirror/field'
  assert.equal((await app.inject(url)).body, 'a file')
  const options = await app.inject({ method: 'OPTIONS', url })
  assert.equal(options.headers.allow, 'POST, OPTIONS, GET, HEAD')
  const put = await app.inject({ method: 'PUT', url })
  assert.deepEqual([put.statusCode, put.headers.allow], [405, options.headers.allow])
})
