import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRecord, without } from '../../../test/support/resources.ts'
import { catalogueApp, useApp } from '../../../test/support/test-app.ts'
import { words } from '../../../test/support/words.ts'

const paths = words`
  / /problems /problems/not-found /people
  /people.ndjson /places.csv /mirror/query?a=glass /health
`

/** URLs whose responses may not be stored, or differ each time. */
const pathsWithoutTag = ['/mirror/status/200', '/login', '/health/live', '/people/new']

/** For requests that store nothing. */
const filled = useApp({}, async (t) => {
  const app = await catalogueApp(t)
  await createRecord(app, '/people', { name: 'Ann', password: 'x' })
  return app
})

for (const url of paths) {
  test(`${url} has a weak tag, and gets 304 and 412 by it`, async (t) => {
    const app = filled()
    const send = async (headers: Record<string, string>, method: 'GET' | 'HEAD' = 'GET') =>
      app.inject({ method, url, headers })
    const got = await send({})
    const etag = String(got.headers.etag)
    assert.match(etag, /^W\/"[\w-]{43}"$/)
    assert.equal((await send({})).headers.etag, etag)
    for (const tag of [etag, etag.slice(2), '*']) {
      await t.test(tag, async () => {
        const same = await send({ 'if-none-match': tag })
        assert.deepEqual([same.statusCode, same.body, same.headers.etag], [304, '', etag])
        assert.equal(same.headers['cache-control'], got.headers['cache-control'])
        assert.equal(same.headers.vary, got.headers.vary)
        assert.equal(same.headers['content-type'], undefined)
        const head = await send({ 'if-none-match': tag }, 'HEAD')
        assert.deepEqual([head.statusCode, head.headers['content-length']], [304, undefined])
      })
    }
    assert.equal((await send({ 'if-none-match': '"other"' })).statusCode, 200)
    assert.equal((await send({ 'if-match': '*' })).statusCode, 200)
    // A weak tag never matches strongly (RFC 9110 §13.1.1).
    for (const tag of ['"other"', etag])
      assert.equal((await send({ 'if-match': tag })).statusCode, 412)
    const variable = ['date', 'server-timing', 'x-request-id']
    const head = await send({}, 'HEAD')
    assert.deepEqual(without(head.headers, ...variable), without(got.headers, ...variable))
  })
}

for (const url of pathsWithoutTag) {
  test(`${url} has no tag, and evaluates If-Match and If-None-Match: *`, async () => {
    const app = filled()
    const status = async (headers: Record<string, string>) =>
      (await app.inject({ url, headers })).statusCode
    assert.equal((await app.inject(url)).headers.etag, undefined)
    assert.equal(await status({ 'if-none-match': '*' }), 304)
    assert.equal(await status({ 'if-none-match': '"other"' }), 200)
    assert.equal(await status({ 'if-match': '*' }), 200)
    assert.equal(await status({ 'if-match': '"other"' }), 412)
  })
}

test('a list too long for one chunk is streamed without a tag, and evaluates *', async (t) => {
  const app = await catalogueApp(t)
  for (let count = 0; count < 40; count += 1) {
    await createRecord(app, '/places', { name: String(count), note: 'n'.repeat(2000) })
  }
  const url = '/places.json'
  const got = await app.inject(url)
  assert.deepEqual([got.headers.etag, got.headers['content-length']], [undefined, undefined])
  assert.equal(got.json<unknown[]>().length, 40)
  assert.equal((await app.inject({ url, headers: { 'if-none-match': '*' } })).statusCode, 304)
  assert.equal((await app.inject({ url, headers: { 'if-match': '"x"' } })).statusCode, 412)
  const head = await app.inject({ method: 'HEAD', url })
  assert.deepEqual([head.statusCode, head.headers.etag, head.body], [200, undefined, ''])
})

test('the response to an unsafe method has no tag of its body', async () => {
  const app = filled()
  const response = await app.inject({ method: 'POST', url: '/users/post', payload: { a: 1 } })
  assert.deepEqual([response.statusCode, response.headers.etag], [200, undefined])
})

test('a 304 to GET has no Content-Length', async () => {
  const app = filled()
  const { etag = '' } = (await app.inject('/')).headers
  const again = await app.inject({ url: '/', headers: { 'if-none-match': etag } })
  assert.equal(again.statusCode, 304)
  assert.equal(again.headers['content-length'], undefined)
})
