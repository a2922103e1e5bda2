import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test, type TestContext } from 'node:test'
import { dataApp } from '../../../test/data-app.ts'
import type { TestApp } from '../../../test/test-app.ts'
import { until } from '../../../test/until.ts'
import type { ExchangeSummary } from '../../inspector/exchange.ts'

const posts = ['One', 'Two'].map((title, index) => ({ id: index + 1, title, authorId: 'ann' }))
const openPosts = (t: TestContext, settings: Record<string, string> = {}) =>
  dataApp(t, { posts }, { settings: { TEST_API: 'on', ...settings } })

/** Of POST, the latest first. */
async function listWrites(app: TestApp): Promise<readonly ExchangeSummary[]> {
  const headers = { accept: 'application/json' }
  const response = await app.inject({ url: '/inspector?method=POST', headers })
  return response.json<{ exchanges: ExchangeSummary[] }>().exchanges
}

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
    const retryAfter = [429, 503].includes(status) ? '1' : undefined
    assert.equal(response.headers['retry-after'], retryAfter)
    assert.equal((await app.inject('/posts')).json<unknown[]>().length, isError ? 2 : 3)
    const again = { 'idempotency-key': 'key' }
    const second = await app.inject({ method: 'POST', url: '/posts', headers: again, payload })
    assert.equal(second.statusCode, 201)
    assert.equal((await app.inject('/posts')).json<unknown[]>().length, 3)
  })
}

test('a request can ask for a delay, of at most MAX_DURATION_SECONDS, and for an error after it', async (t) => {
  const app = await openPosts(t, { MAX_DURATION_SECONDS: '0.3' })
  const put = {
    method: 'PUT',
    url: '/posts/2',
    payload: { title: 'Two', authorId: 'ann' },
  } as const
  for (const [prefer, status, request = { url: '/posts' }] of [
    ['vitrine-delay=200', 200],
    ['vitrine-delay=900000', 200],
    ['vitrine-delay=200, vitrine-fail=503', 503],
    ['vitrine-delay=200, return=minimal', 204, put],
  ] as const) {
    const startedAt = performance.now()
    const response = await app.inject({ ...request, headers: { prefer } })
    assert.equal(response.statusCode, status)
    const applied = String(response.headers['preference-applied']).split(', ')
    assert.deepEqual(applied.toSorted(), prefer.split(', ').toSorted())
    assert.ok(performance.now() - startedAt >= 195)
  }
})

test('a lost response is that of the first attempt, and the second one gets it', async (t) => {
  const app = await openPosts(t)
  const origin = await app.listen({ port: 0 })
  const post = (title: unknown) =>
    fetch(`${origin}/posts`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': 'key',
        prefer: 'vitrine-lose-response',
      },
      body: JSON.stringify({ title, authorId: 'ann' }),
    })
  assert.equal((await post([])).status, 422)
  await assert.rejects(post('Three'))
  const second = await post('Three')
  const { status, headers } = second
  assert.deepEqual([status, headers.get('idempotency-replayed')], [201, 'true'])
  assert.equal((await app.inject('/posts')).json<unknown[]>().length, 3)
  const [, lost] = await listWrites(app)
  assert.deepEqual(
    [lost?.isCutOff, lost?.status, lost?.fault],
    [true, undefined, 'vitrine-lose-response'],
  )
})

test('a client that leaves during a delay gets no response, and the request is carried out', async (t) => {
  const app = await openPosts(t)
  const { port } = new URL(await app.listen({ port: 0 }))
  const body = JSON.stringify({ title: 'Three', authorId: 'ann' })
  const head = [
    'POST /posts HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    `Content-Length: ${String(body.length)}`,
    'Prefer: vitrine-delay=300',
  ]
  const socket = connect(Number(port))
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  await until(async () => (await listWrites(app)).length > 0)
  const [left] = await listWrites(app)
  assert.deepEqual([left?.isCutOff, left?.status], [true, 201])
})
