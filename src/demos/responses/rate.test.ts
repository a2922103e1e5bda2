import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp, type TestApp, useApp } from '../../../test/support/test-app.ts'

const sharedApp = useApp()

const url = '/responses/rate/a'
const now = Date.UTC(2026, 0, 1)

/** `429 r=0 t=4 retry=4` */
async function send(app: TestApp, query: string): Promise<string> {
  const { statusCode, headers } = await app.inject(url + query)
  const [, left, reset] = /^"default";r=(\d+);t=(\d+)$/.exec(String(headers.ratelimit)) ?? []
  const retry = headers['retry-after']
  const end = retry === undefined ? '' : ` retry=${retry}`
  return `${String(statusCode)} r=${String(left)} t=${String(reset)}${end}`
}

test('a bucket of 5 is emptied, and gets a token every 2 seconds', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now })
  const app = await testApp(t)
  for (const left of [4, 3, 2, 1, 0]) assert.equal(await send(app, ''), `200 r=${String(left)} t=2`)
  assert.equal(await send(app, ''), '429 r=0 t=2 retry=2')
  t.mock.timers.setTime(now + 1999)
  assert.equal(await send(app, ''), '429 r=0 t=1 retry=1')
  t.mock.timers.setTime(now + 2000)
  assert.equal(await send(app, ''), '200 r=0 t=2')
  t.mock.timers.setTime(now + 5000)
  assert.equal(await send(app, ''), '200 r=0 t=1')
  // Full again, and not fuller.
  t.mock.timers.setTime(now + 60_000)
  assert.equal(await send(app, ''), '200 r=4 t=2')
})

// Seconds that no binary number is a part of: after Retry-After there must be a token.
for (const query of ['?limit=3&seconds=10', '?limit=7&seconds=600', '?limit=1&seconds=1']) {
  test(`a client of ${query} that waits as Retry-After has it always succeeds`, async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now })
    const app = await testApp(t)
    let time = now
    for (let count = 0; count < 50; count += 1) {
      const outcome = await send(app, query)
      const [, seconds] = /^429 .* retry=(\d+)$/.exec(outcome) ?? []
      if (seconds === undefined) continue
      t.mock.timers.setTime((time += Number(seconds) * 1000))
      assert.match(await send(app, query), /^200/)
    }
  })
}

test('the headers and the body have the policy and the counts, and the state too', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now })
  const app = await testApp(t)
  await app.inject(`${url}?limit=1&seconds=60`)
  const { headers, ...response } = await app.inject(`${url}?limit=1&seconds=60`)
  assert.equal(headers['ratelimit-policy'], '"default";q=1;w=60')
  const counts = { accepted: 1, rejected: 1 }
  assert.deepEqual(response.json(), { limit: 1, seconds: 60, left: 0, ...counts })
  const state = (await app.inject(`${url}/state`)).json<object>()
  assert.deepEqual(state, { key: 'a', ...counts, expires_at: '2026-01-01T00:10:00.000Z' })
  assert.equal((await app.inject({ method: 'DELETE', url: `${url}/state` })).statusCode, 204)
  assert.equal(await send(app, '?limit=1&seconds=60'), '200 r=0 t=60')
})

test('another limit of the same key never leaves more tokens than the limit', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now })
  const app = await testApp(t)
  assert.equal(await send(app, '?limit=10&seconds=10'), '200 r=9 t=1')
  assert.equal(await send(app, '?limit=2&seconds=10'), '200 r=1 t=5')
})

test('a clock that goes back adds no tokens', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: now + 10_000 })
  const app = await testApp(t)
  assert.equal(await send(app, '?limit=1&seconds=10'), '200 r=0 t=10')
  t.mock.timers.setTime(now)
  assert.equal(await send(app, '?limit=1&seconds=10'), '429 r=0 t=10 retry=10')
  t.mock.timers.setTime(now + 10_000)
  assert.equal(await send(app, '?limit=1&seconds=10'), '429 r=0 t=10 retry=10')
})

const invalid: [query: string, message: RegExp][] = [
  ['?limit=0', /^limit must be at least 1\./],
  ['?limit=10001', /^limit must be at most 10,000\./],
  ['?limit=1.5', /^limit must be a whole number\./],
  ['?limit=', /^limit must be a whole number\./],
  ['?seconds=601', /^seconds must be at most 600\./],
  ['?seconds=1e999', /^seconds must be/],
  ['?limt=5', /^limt is not allowed: use limit\./],
]

for (const [query, message] of invalid) {
  test(`${query} gets 400`, async () => {
    const { statusCode, body } = await sharedApp().inject(url + query)
    assert.equal(statusCode, 400)
    assert.match(body, message)
  })
}
