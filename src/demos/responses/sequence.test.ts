import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp, useApp } from '../../../test/support/test-app.ts'

const sharedApp = useApp()

const url = '/responses/sequence/a'
const minutes = (count: number) => count * 60_000

test('a sequence fails twice with Retry-After by default, then succeeds for ever', async (t) => {
  const app = await testApp(t)
  const expected = [
    [503, '1'],
    [503, '1'],
    [200, undefined],
    [200, undefined],
  ] as const
  for (const [index, [status, retryAfter]] of expected.entries()) {
    const response = await app.inject(url)
    assert.deepEqual([response.statusCode, response.headers['retry-after']], [status, retryAfter])
    assert.deepEqual(response.json(), { key: 'a', requests: index + 1, status })
  }
})

const ways = {
  'query parameters': (app: App) => app.inject(`${url}?steps=429,302*2,204&retry_after=7`),
  'the parameter description': (app: App) =>
    app.inject({ url, query: { description: JSON.stringify(described) } }),
  'a JSON body': (app: App) => app.inject({ method: 'POST', url, payload: described }),
}
type App = Awaited<ReturnType<typeof testApp>>
const headers = { 'Retry-After': '7' }
const described = {
  sequence: [{ status: 429, headers }, { status: 302, headers, times: 2 }, { status: 204 }],
}

for (const [name, send] of Object.entries(ways)) {
  test(`the steps are read from ${name}`, async (t) => {
    const app = await testApp(t)
    const sent: unknown[] = []
    for (let request = 1; request <= 5; request += 1) {
      const { statusCode, headers: received } = await send(app)
      sent.push([statusCode, received['retry-after']])
    }
    const last = [204, undefined]
    assert.deepEqual(sent, [[429, '7'], [302, '7'], [302, '7'], last, last])
  })
}

test('a described step has its own body and headers, and a description alone is one step', async (t) => {
  const app = await testApp(t)
  const payload = {
    sequence: [
      { status: 500, body: 'no' },
      { json: [1], cookies: ['a=1'] },
    ],
  }
  const send = (one: object) => app.inject({ method: 'PUT', url, payload: one })
  assert.equal((await send(payload)).body, 'no')
  const second = await send(payload)
  assert.deepEqual([second.json(), second.headers['set-cookie']], [[1], 'a=1; Path=/responses'])
  const third = await send({ status: 418, body: 'tea' })
  assert.deepEqual([third.statusCode, third.body], [418, 'tea'])
})

test('a state is read without a change, and reset', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 0, 1, 12) })
  const app = await testApp(t)
  const read = async () => {
    const { headers: received, ...response } = await app.inject(`${url}/state`)
    assert.equal(received['cache-control'], 'no-store')
    return response.json<unknown>()
  }
  const fresh = { key: 'a', requests: 0, expires_at: null }
  assert.deepEqual(await read(), fresh)
  await app.inject(url)
  await app.inject('/responses/sequence/b')
  const counted = { key: 'a', requests: 1, expires_at: '2026-01-01T12:10:00.000Z' }
  assert.deepEqual(await read(), counted)
  assert.deepEqual(await read(), counted)
  assert.equal((await app.inject({ method: 'DELETE', url: `${url}/state` })).statusCode, 204)
  assert.deepEqual(await read(), fresh)
  assert.equal((await app.inject('/responses/sequence/b/state')).json<State>().requests, 1)
})
interface State {
  requests: number
}

test('a sequence starts again ten minutes after its last request', async (t) => {
  const now = Date.UTC(2026, 0, 1)
  t.mock.timers.enable({ apis: ['Date'], now })
  const app = await testApp(t)
  const count = async () => (await app.inject(url)).json<State>().requests
  assert.equal(await count(), 1)
  t.mock.timers.setTime(now + minutes(10) - 1)
  assert.equal(await count(), 2)
  t.mock.timers.setTime(now + minutes(20) - 1)
  assert.equal(await count(), 1)
})

test('a preflight is no request of the sequence', async (t) => {
  const app = await testApp(t)
  const headers = { origin: 'https://a.test', 'access-control-request-method': 'PUT' }
  assert.equal((await app.inject({ method: 'OPTIONS', url, headers })).statusCode, 204)
  assert.equal((await app.inject(url)).json<State>().requests, 1)
})

test('a flood of keys removes the oldest states, and keeps the store from being full', async (t) => {
  const app = await testApp(t, { settings: { MAX_RECORDS: '150' } })
  for (let key = 1; key <= 400; key += 1) {
    assert.equal((await app.inject(`/responses/sequence/${String(key)}`)).statusCode, 503)
  }
  const count = async (key: number) =>
    (await app.inject(`/responses/sequence/${String(key)}/state`)).json<State>().requests
  assert.deepEqual([await count(1), await count(400)], [0, 1])
})

const invalid: [path: string, names: RegExp][] = [
  [`${url}?steps=99`, /^steps must have the form 503\*2,short-body,200\. A step is a status code/],
  [`${url}?steps=short,200`, /^steps .* or a fault \(reset-before-head, /],
  [`${url}?steps=200*0`, /^steps /],
  [`${url}?steps=200*1001`, /^steps /],
  [`${url}?steps=`, /^steps /],
  [`${url}?steps=${'200,'.repeat(200)}200`, /^steps must be at most 500/],
  [
    `${url}?retry_after=soon&color=red`,
    /^retry_after must be a number of seconds from 0 to 99999, or date:3/,
  ],
  [`${url}?steps=503,200&seconds=1`, /^seconds needs fault/],
  [`${url}?steps=200&steps=500`, /^steps is given more than once/],
  [`${url}?__proto__=1`, /^__proto__ is not allowed/],
  [
    `${url}?color=red&color=1`,
    /^color is not allowed: the parameters are steps, retry_after, [^;]* header, [^;]*$/,
  ],
  [`${url}?step=200`, /^step is not allowed: use steps\.\s$/],
  [`${url}?description={}}`, /description/],
  [`${url}?description={"sequence":[]}`, /^sequence /],
  [`${url}?description={"sequence":[{"times":0}]}`, /^sequence\[0\]\.times/],
  [`${url}?description={"sequence":[{"status":20}]}`, /^sequence\[0\]\.status/],
  ['/responses/sequence/a.b', /^key must have 1 to 64/],
  ['/responses/sequence/%00', /^key /],
  [`/responses/sequence/${'a'.repeat(65)}`, /^key /],
  ['/responses/sequence/a%2Fb/state', /^key /],
]

for (const [path, names] of invalid) {
  test(`${path.slice(0, 80)} gets 400, and counts nothing`, async (t) => {
    const app = await testApp(t)
    const { statusCode, headers: received, body } = await app.inject(path)
    assert.equal(statusCode, 400)
    assert.equal(received['access-control-allow-origin'], '*')
    assert.match(body, names)
    assert.equal((await app.inject(`${url}/state`)).json<State>().requests, 0)
  })
}

const members =
  'status, headers, header_base64, type, body, json, base64, size, seed, cookies, delay, chunk_size, pause, framing, trailers, encoding, reason, interim, early_hints, ranges, idle, close, fault, at, seconds'

for (const [path, payload, detail] of [
  [url, { a: 1 }, `a is not allowed: the members are ${members}.`],
  [`${url}?tag=my-test`, { a: 1 }, `a is not allowed: the members are ${members}.`],
  [url, [1], 'The description must be an object, such as {"status":503}.'],
  ['/responses/custom', { a: 1 }, `a is not allowed: the members are ${members}.`],
  ['/responses/custom', { sequence: [{}] }, 'sequence is not allowed.'],
  [url, { header: {} }, 'header is not allowed: use headers.'],
  [
    url,
    { sequence: [{ early_hint: {} }] },
    'sequence[0].early_hint is not allowed: use early_hints.',
  ],
  [url, { retry_after: 1 }, 'retry_after is not allowed: use headers with Retry-After.'],
  [url, { sequence: [{ statsu: 503 }] }, 'sequence[0].statsu is not allowed: use status.'],
  [url, { steps: '503,200' }, 'steps is not allowed: use sequence in JSON.'],
] as const) {
  test(`${JSON.stringify(payload)} to ${path} gets 400 with the meaning of the body`, async () => {
    const app = sharedApp()
    const response = await app.inject({ method: 'POST', url: path, payload })
    assert.equal(response.statusCode, 400)
    const expected = `Without a parameter other than tag, the body describes the response. ${detail}`
    assert.equal(response.body.trimEnd(), expected)
  })
}

test('with parameters, the body of a POST can be anything', async (t) => {
  const app = await testApp(t)
  const post = () => app.inject({ method: 'POST', url: `${url}?steps=503,201`, payload: { a: 1 } })
  assert.deepEqual([(await post()).statusCode, (await post()).statusCode], [503, 201])
})

test('with READ_ONLY a sequence gets 403 that names the setting, and its state can be read', async (t) => {
  const app = await testApp(t, { settings: { READ_ONLY: 'on' } })
  const response = await app.inject(url)
  assert.equal(response.statusCode, 403)
  assert.match(response.body, /READ_ONLY/)
  assert.equal((await app.inject(`${url}/state`)).statusCode, 200)
})

test('the parameters of a description are those of the last step', async () => {
  const app = sharedApp()
  const url = '/responses/sequence/last?steps=503,200&body=Hello&header=X-A:+1'
  const [first, last] = [await app.inject(url), await app.inject(url)]
  assert.deepEqual([first.statusCode, first.headers['x-a']], [503, undefined])
  assert.deepEqual([last.statusCode, last.headers['x-a'], last.body], [200, '1', 'Hello'])
  assert.equal((await app.inject(`${url}&color=red`)).statusCode, 400)
})

test('a duration is that of the faults among the steps', async (t) => {
  const app = await testApp(t, { settings: { MAX_DURATION_SECONDS: '0.01' } })
  const { body } = await app.inject('/responses/sequence/a?steps=stall,200&seconds=60')
  assert.match(body, /^seconds is too long/)
  const url = '/responses/sequence/b?steps=stall,200&seconds=0.01&header=X-A:+1'
  const origin = await app.listen({ port: 0 })
  for (const name of ['first', 'second']) {
    const response = await fetch(origin + url)
    assert.equal(response.headers.get('x-a'), '1', name)
    const { key } = (await response.json()) as { key: string }
    assert.equal(key, 'b')
  }
})

for (const url of [
  '/responses/sequence/a?steps=503&retry_after=date:30',
  '/responses/custom?status=503&header=Retry-After:+date:30',
]) {
  test(`${url} has a date in 30 seconds`, async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 0, 1) })
    const app = await testApp(t)
    const { headers } = await app.inject(url)
    assert.equal(headers['retry-after'], 'Thu, 01 Jan 2026 00:00:30 GMT')
  })
}
