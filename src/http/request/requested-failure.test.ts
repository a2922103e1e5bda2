import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { dataApp } from '../../../test/data-app.ts'

const posts = ['One', 'Two'].map((title, index) => ({ id: index + 1, title, authorId: 'ann' }))
const openPosts = (t: TestContext, settings: Record<string, string> = {}) =>
  dataApp(t, { posts }, { settings: { TEST_API: 'on', ...settings } })

for (const [prefer, status] of [
  ['vitrine-fail=503', 503],
  ['return=minimal, vitrine-fail="429"', 429],
  ['vitrine-fail=400', 400],
  ['vitrine-fail=401', 401],
  ['vitrine-fail=418', 418],
  ['vitrine-fail=599', 599],
  ['vitrine-fail=200', 201],
  ['vitrine-fail=600', 201],
  ['vitrine-fail=5030', 201],
  ['vitrine-fail', 201],
] as const) {
  test(`Prefer: ${prefer} gets ${String(status)}, and an error stores nothing`, async (t) => {
    const app = await openPosts(t)
    const headers = { prefer, 'idempotency-key': 'key' }
    const payload = { title: 'Three', authorId: 'ann' }
    const response = await app.inject({ method: 'POST', url: '/posts', headers, payload })
    const isError = status >= 400
    assert.equal(response.statusCode, status)
    const applied = isError ? `vitrine-fail=${String(status)}` : undefined
    assert.equal(response.headers['preference-applied'], applied)
    assert.equal((await app.inject('/posts')).json<unknown[]>().length, isError ? 2 : 3)
    const again = { 'idempotency-key': 'key' }
    const second = await app.inject({ method: 'POST', url: '/posts', headers: again, payload })
    assert.equal(second.statusCode, 201)
    assert.equal((await app.inject('/posts')).json<unknown[]>().length, 3)
  })
}

test('a request can ask for a delay, of at most MAX_DURATION_SECONDS, and for an error after it', async (t) => {
  const app = await openPosts(t, { MAX_DURATION_SECONDS: '0.3' })
  for (const [prefer, status] of [
    ['vitrine-delay=200', 200],
    ['vitrine-delay=900000', 200],
    ['vitrine-delay=200, vitrine-fail=503', 503],
  ] as const) {
    const startedAt = performance.now()
    const response = await app.inject({ url: '/posts', headers: { prefer } })
    assert.equal(response.statusCode, status)
    assert.match(String(response.headers['preference-applied']), /^vitrine-/)
    assert.ok(performance.now() - startedAt >= 195)
  }
})
