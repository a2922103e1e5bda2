import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataApp } from '../../test/support/data-app.ts'
import type { TestApp } from '../../test/support/test-app.ts'
import { catalogueApp } from '../../test/support/test-app.ts'

const url = '/_vitrine/responses'
const sandbox = { 'x-sandbox': 'a-key-of-a-sandbox' }
const $responses = {
  'GET /flaky': { sequence: [{ status: 503 }, { body: 'file' }] },
  'GET /posts': { body: 'stub' },
}
const settings = { TEST_API: 'on' }
const open = (t: Parameters<typeof dataApp>[0], more = {}) =>
  dataApp(t, { posts: [{ id: 1 }], $responses }, { settings: { ...settings, ...more } })

const change = async (
  app: TestApp,
  method: 'PUT' | 'POST' | 'DELETE',
  payload?: object,
  headers = {},
) => {
  const response = await app.inject({ method, url, headers, ...(payload && { payload }) })
  assert.equal(response.statusCode, 204, response.body)
}
const get = async (app: TestApp, path: string, headers = {}) =>
  (await app.inject({ url: path, headers })).body
const names = async (app: TestApp, headers = {}) =>
  Object.keys((await app.inject({ url, headers })).json<object>())

test('stubs are added before those of the file, the newest first, and replace those of the same name', async (t) => {
  const app = await open(t)
  assert.deepEqual((await app.inject(url)).json(), $responses)
  await change(app, 'POST', { 'GET /*': { when: { 'query.a': 1 }, body: 'older' } })
  await change(app, 'POST', { 'GET /:x': { when: { 'query.a': 1 }, body: 'newer' } })
  assert.deepEqual(await names(app), ['GET /:x', 'GET /*', 'GET /flaky', 'GET /posts'])
  assert.deepEqual([await get(app, '/posts?a=1'), await get(app, '/posts')], ['newer', 'stub'])
  await change(app, 'POST', { 'GET /posts': { body: 'other' } })
  assert.equal(await get(app, '/posts'), 'other')
  assert.equal((await names(app)).length, 4)
})

test('PUT replaces those of the file too, and DELETE and a reset return to them', async (t) => {
  const app = await open(t)
  await get(app, '/flaky')
  assert.equal(await get(app, '/flaky'), 'file')
  const sequence = [{ body: 'one' }, { body: 'two' }]
  await change(app, 'PUT', { 'GET /flaky': { sequence } })
  assert.deepEqual(await names(app), ['GET /flaky'])
  assert.deepEqual([await get(app, '/flaky'), await get(app, '/flaky')], ['one', 'two'])
  assert.match(await get(app, '/posts'), /"id"/)
  await change(app, 'DELETE')
  assert.deepEqual((await app.inject(url)).json(), $responses)
  assert.equal((await app.inject('/flaky')).statusCode, 503)
  await change(app, 'PUT', {})
  assert.deepEqual(await names(app), [])
  assert.equal((await app.inject({ method: 'POST', url: '/_vitrine/reset' })).statusCode, 204)
  assert.deepEqual((await app.inject(url)).json(), $responses)
})

test('DELETE with a name removes one stub, also one of the file', async (t) => {
  const app = await open(t)
  const remove = (name: string) => app.inject({ method: 'DELETE', url, query: { stub: name } })
  assert.equal((await remove('GET /flaky')).statusCode, 204)
  assert.deepEqual(await names(app), ['GET /posts'])
  const missing = await remove('GET /flaky')
  assert.deepEqual(
    [missing.statusCode, missing.json<{ detail: string }>().detail],
    [404, 'There is no stub GET /flaky.'],
  )
})

const invalid: readonly [body: unknown, detail: RegExp, pointer: string][] = [
  [{ 'GET /a': {}, nonsense: {} }, /^nonsense must be a method and a path/, '#/nonsense'],
  [
    { 'GET /a': [{ when: { 'query.a:is': 1 } }] },
    /^GET \/a\[0\]\.when\.query\.a:is has an unknown operator/,
    '#/GET%20~1a/0/when/query.a%3Ais',
  ],
  [
    { 'GET /a': { file: 'a.txt' } },
    /^GET \/a\.file is possible in a file of stubs only/,
    '#/GET%20~1a/file',
  ],
  [{ 'GET /a': { body: '{{ a' } }, /^GET \/a\.body is not a valid template/, '#/GET%20~1a/body'],
  [{ 'GET /inspector': {} }, /^GET \/inspector is a path of the service/, '#/GET%20~1inspector'],
  [[], /^The body must be an object/, '#/The%20body'],
]
for (const [payload, detail, pointer] of invalid)
  test(`${JSON.stringify(payload)} changes nothing and gets 422 with the place`, async (t) => {
    const app = await open(t)
    for (const method of ['PUT', 'POST'] as const) {
      const response = await app.inject({ method, url, payload: payload as object })
      assert.equal(response.statusCode, 422)
      const problem = response.json<{ detail: string; errors: { pointer: string }[] }>()
      assert.match(problem.detail, detail)
      assert.equal(problem.errors[0]?.pointer, pointer)
    }
    assert.deepEqual((await app.inject(url)).json(), $responses)
  })

test('YAML is accepted, and an error has its line', async (t) => {
  const app = await open(t)
  const headers = { 'content-type': 'text/yaml' }
  const put = (payload: string) => app.inject({ method: 'PUT', url, headers, payload })
  assert.equal((await put('"GET /a":\n  json: { a: "{{ query.a }}" }\n')).statusCode, 204)
  assert.equal(await get(app, '/a?a=5'), '{"a":"5"}')
  const wrong = await put('"GET /a":\n  json: {\n')
  assert.equal(wrong.statusCode, 422)
  assert.match(wrong.json<{ detail: string }>().detail, /cannot be read as YAML: .*line 3/)
})

test('each sandbox has stubs of its own, which its reset removes', async (t) => {
  const app = await open(t)
  await change(app, 'POST', { 'GET /n': { body: '{{ number }}' } }, sandbox)
  assert.equal((await app.inject('/n')).statusCode, 404)
  assert.deepEqual([await get(app, '/n', sandbox), await get(app, '/n', sandbox)], ['1', '2'])
  await change(app, 'PUT', {})
  assert.equal((await names(app, sandbox)).length, 3)
  const reset = { method: 'POST', url: '/_vitrine/sandbox/reset', headers: sandbox } as const
  assert.equal((await app.inject(reset)).statusCode, 204)
  assert.deepEqual(await names(app, sandbox), Object.keys($responses))
})

test('without stubs at the start they are added too, and a demo alone stays alone', async (t) => {
  const app = await catalogueApp(t, { settings: { ...settings, DEMOS: 'topic' } })
  assert.match(await get(app, '/nowhere'), /\/nowhere/)
  await change(app, 'POST', { 'GET /stub': { body: 'here' } })
  assert.equal(await get(app, '/stub'), 'here')
  assert.equal((await app.inject('/nowhere')).statusCode, 200)
  const home = await app.inject({ url: '/', headers: { accept: 'text/html' } })
  assert.doesNotMatch(home.body, /Described responses/)
})

test('nothing is changed with READ_ONLY, from other sites, or without the test API', async (t) => {
  const readOnly = await open(t, { READ_ONLY: 'on' })
  const put = { method: 'PUT', url, payload: {} } as const
  assert.equal((await readOnly.inject(put)).statusCode, 403)
  assert.equal((await readOnly.inject(url)).statusCode, 200)
  const headers = { 'sec-fetch-site': 'cross-site' }
  assert.equal((await (await open(t)).inject({ ...put, headers })).statusCode, 403)
  const off = await open(t, { TEST_API: 'off' })
  assert.deepEqual(
    [(await off.inject(url)).statusCode, (await off.inject(put)).statusCode],
    [404, 404],
  )
})

const page = { accept: 'text/html' }
const edit = (app: TestApp, fields: Record<string, string>) =>
  app.inject({
    method: 'POST',
    url,
    headers: { ...page, 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields).toString(),
  })

test('the page shows the latest request of each stub, and why others matched none', async (t) => {
  const app = await open(t, { INSPECTOR: 'all' })
  await app.inject('/flaky')
  await app.inject({ method: 'DELETE', url: '/flaky' })
  const { body } = await app.inject({ url, headers: page })
  assert.match(body, /GET \/flaky<\/code><\/th>.*<a href="\/inspector\/[^"]+"><code>GET \/flaky</)
  assert.match(body, /<code>DELETE \/flaky<.*<code>GET \/flaky<.*method is &quot;GET&quot;/)
})

test('the page saves without a script, and shows what is wrong beside the text', async (t) => {
  const app = await open(t)
  const saved = await edit(app, { _method: 'PUT', responses: '"GET /a":\r\n  body: "<saved>"\r\n' })
  assert.deepEqual([saved.statusCode, saved.headers.location], [303, url])
  assert.equal(await get(app, '/a'), '<saved>')
  assert.match((await app.inject({ url, headers: page })).body, /body: &lt;saved&gt;/)
  const wrong = await edit(app, { _method: 'PUT', responses: '"GET /c": { boddy: "<x>" }' })
  assert.equal(wrong.statusCode, 422)
  assert.match(wrong.body, /&quot;GET \/c&quot;: { boddy: &quot;&lt;x&gt;&quot; }<\/textarea>/)
  assert.match(wrong.body, /id="problem">GET \/c\.boddy is not allowed/)
  assert.equal(await get(app, '/a'), '<saved>')
  assert.equal((await edit(app, { _method: 'DELETE' })).statusCode, 303)
  assert.deepEqual(await names(app), Object.keys($responses))
})
