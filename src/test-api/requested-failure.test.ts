import assert from 'node:assert/strict'
import type { InjectOptions } from 'fastify'
import { connect } from 'node:net'
import { test, type TestContext } from 'node:test'
import { dataApp } from '../../test/support/data-app.ts'
import type { TestApp } from '../../test/support/test-app.ts'
import { until } from '../../test/support/until.ts'
import type { Summary } from '../exchanges/exchange.ts'

const posts = ['One', 'Two'].map((title, index) => ({ id: index + 1, title, authorId: 'ann' }))
const openPosts = (t: TestContext, settings: Record<string, string> = {}) =>
  dataApp(t, { posts }, { settings: { TEST_API: 'on', ...settings } })

/** Of POST, the latest first. */
async function listWrites(app: TestApp): Promise<readonly Summary[]> {
  const headers = { accept: 'application/json' }
  const response = await app.inject({ url: '/inspector?method=POST', headers })
  return response.json<{ exchanges: Summary[] }>().exchanges
}

const failures: [prefer: string, status: number, unknown?: string][] = [
  ['vitrine-fail=503', 503],
  ['return=minimal, vitrine-fail="429"', 429],
  ['vitrine-fail=400', 400],
  ['vitrine-fail=401', 401],
  ['vitrine-fail=418', 418],
  ['vitrine-fail=599', 599],
  ['vitrine-fail=200', 400, 'vitrine-fail=200'],
  ['vitrine-fail=600', 400, 'vitrine-fail=600'],
  ['vitrine-fail=5030', 400, 'vitrine-fail=5030'],
  ['vitrine-fail', 400, 'vitrine-fail'],
  ['vitrine-delay=1s', 400, 'vitrine-delay=1s'],
  ['return=minimal, Vitrine-Loose-Response', 400, 'vitrine-loose-response'],
  ['vitrine-lose-response=stal', 400, 'vitrine-lose-response=stal'],
]
for (const [prefer, status, unknown] of failures) {
  test(`Prefer: ${prefer} gets ${String(status)}, and stores nothing`, async (t) => {
    const app = await openPosts(t)
    const headers = { prefer, 'idempotency-key': 'key' }
    const payload = { title: 'Three', authorId: 'ann' }
    const response = await app.inject({ method: 'POST', url: '/posts', headers, payload })
    assert.equal(response.statusCode, status)
    const applied = unknown === undefined ? `vitrine-fail=${String(status)}` : undefined
    assert.equal(response.headers['preference-applied'], applied)
    const retryAfter = [429, 503].includes(status) ? '1' : undefined
    assert.equal(response.headers['retry-after'], retryAfter)
    if (unknown !== undefined)
      assert.match(
        response.body,
        new RegExp(`preference ${unknown} is not valid.*vitrine-fail=599`),
      )
    assert.equal((await app.inject('/posts')).json<unknown[]>().length, 2)
    const again = { 'idempotency-key': 'key' }
    const second = await app.inject({ method: 'POST', url: '/posts', headers: again, payload })
    assert.equal(second.statusCode, 201)
    assert.equal((await app.inject('/posts')).json<unknown[]>().length, 3)
  })
}

const lost = { prefer: 'vitrine-lose-response' }
const withKey = { ...lost, 'idempotency-key': 'key' }
const inapplicable: [title: string, request: InjectOptions][] = [
  ['without a key', { method: 'POST', url: '/posts', headers: lost }],
  ['with a method that accepts no key', { url: '/posts', headers: withKey }],
  ['to a path that accepts no key', { method: 'POST', url: '/toc/aaa', headers: withKey }],
]
for (const [title, request] of inapplicable) {
  test(`a request ${title} cannot lose its response, and gets 400`, async (t) => {
    const app = await openPosts(t)
    const payload = { title: 'Three', authorId: 'ann' }
    const response = await app.inject({ ...request, ...(request.method && { payload }) })
    assert.equal(response.statusCode, 400)
    assert.match(response.body, /vitrine-lose-response needs an Idempotency-Key/)
    assert.equal((await app.inject('/posts')).json<unknown[]>().length, 2)
  })
}

const both = 'return=minimal, vitrine-loose-response, vitrine-delay=1'
const ignored: [testApi: string, url: string, names: string | undefined][] = [
  ['off', '/posts', 'vitrine-loose-response, vitrine-delay'],
  ['off', '/responses/custom', 'vitrine-loose-response, vitrine-delay'],
  ['on', '/responses/custom', 'vitrine-loose-response'],
]
for (const [testApi, url, names] of ignored) {
  test(`with TEST_API=${testApi}, the response of ${url} names the preferences it ignored`, async (t) => {
    const app = await openPosts(t, { TEST_API: testApi, DEMOS: 'responses' })
    const name = 'vitrine-ignored-preferences'
    const { statusCode, headers } = await app.inject({ url, headers: { prefer: both } })
    assert.deepEqual([statusCode, headers[name]], [200, names])
    // A cache must not give the names to a client that did not send them.
    assert.match(String(headers.vary), /(^|, )Prefer(,|$)/)
    const others = await app.inject({ url, headers: { prefer: 'return=minimal' } })
    assert.equal(others.headers[name], undefined)
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

test('a lost response can stall: a client that gives up gets it with the next request', async (t) => {
  const app = await openPosts(t)
  const origin = await app.listen({ port: 0 })
  const post = (signal: AbortSignal, stalls: boolean) =>
    fetch(`${origin}/posts`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': 'key',
        ...(stalls && { prefer: 'vitrine-lose-response=stall' }),
      },
      body: JSON.stringify({ title: 'Three', authorId: 'ann' }),
      signal,
    })
  const client = new AbortController()
  let isOver = false
  const first = post(client.signal, true).finally(() => (isOver = true))
  let second: Response | undefined
  // Until the first request is carried out, its key has no response.
  await until(async () => (await app.inject('/posts')).json<unknown[]>().length === 3)
  await until(async () => (second = await post(t.signal, false)).status !== 409)
  assert.deepEqual([second?.status, second?.headers.get('idempotency-replayed')], [201, 'true'])
  assert.equal(isOver, false)
  client.abort()
  await assert.rejects(first)
  assert.equal((await app.inject('/posts')).json<unknown[]>().length, 3)
  await until(async () => (await listWrites(app)).length > 1)
  const [stalled] = (await listWrites(app)).filter(({ fault }) => fault !== undefined)
  assert.deepEqual([stalled?.isCutOff, stalled?.fault], [true, 'vitrine-lose-response=stall'])
})

test('a response that stalls ends after MAX_DURATION_SECONDS', async (t) => {
  const app = await openPosts(t, { MAX_DURATION_SECONDS: '0.2' })
  const origin = await app.listen({ port: 0 })
  const headers = {
    'content-type': 'application/json',
    'idempotency-key': 'key',
    prefer: 'vitrine-lose-response=stall',
  }
  const body = JSON.stringify({ title: 'Three', authorId: 'ann' })
  const startedAt = performance.now()
  await assert.rejects(fetch(`${origin}/posts`, { method: 'POST', headers, body }))
  assert.ok(performance.now() - startedAt >= 195)
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
