import fc from 'fast-check'
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { openEvents } from '../support/event-stream.ts'
import { formType } from '../support/resources.ts'
import { startRedis, withRedis } from '../support/redis-server.ts'
import { catalogueApp, type TestApp } from '../support/test-app.ts'
import { until } from '../support/until.ts'

/** In texts of these, secrets are looked for within others. */
const unit = fc.constantFrom(
  ...['["', '[\\"', '"', '\\"', '\\', '[', '{"a":', '{"token":', '"token":"a",', '\\u005b', ']}'],
  ...['a=b&', 'token=a&', 'a=%5B%22', '%255B', '%25', '%', '%26', '%3Dtoken%3Da', '=', '&', '?a=['],
  ...['//a:', '//a:b@', 'vbs_', '%76bs', ';', 'x-token: a', ' ', '\t', 'a', 'aA', 'é', '•'],
  ...['--b\n', '--b\r\n\r\n', '\r\n', '\n--', ' name=', '\nContent-Disposition: x; name=a\n\n'],
)
const start = fc.constantFrom('', '["', '{"a":"', 'a=', 'a=["', '--b\r\nContent-Disposition: ', '"')
const units = fc.array(unit, { minLength: 1, maxLength: 3 }).map((all) => all.join(''))
const toLong = (length: number) =>
  fc
    .tuple(start, units, start)
    .map((parts) => (parts[0] + parts[1].repeat(length) + parts[2]).slice(0, length))

const nested = fc.constantFrom('multipart/form-data; boundary=b', 'application/json', formType, '')
const deepParts = Array.from(
  { length: 600 },
  (_, index) =>
    `--b${String(index)}\nContent-Disposition: x; name=a\nContent-Type: a/b; boundary=b${String(index + 1)}\n\n`,
).join('')
const manySecrets = fc.tuple(fc.integer({ min: 1, max: 3000 }), units).map(([count, text]) => ({
  tokens: Array.from({ length: count }, (_, key) => text + String(key)),
}))

const body = fc.oneof(
  { weight: 6, arbitrary: toLong(65_000) },
  { weight: 2, arbitrary: manySecrets.map((value) => JSON.stringify(value).slice(0, 65_000)) },
  { weight: 1, arbitrary: toLong(60_000).map((text) => `password=${text}`) },
  { weight: 1, arbitrary: fc.constant(deepParts) },
)

interface Sent {
  target: string
  type: string
  field: string
  payload: string
}

const sent: fc.Arbitrary<Sent> = fc.record({
  target: toLong(7500).map((text) => `/responses/echo?${toTarget(text)}`),
  type: nested,
  field: toLong(3000).map((text) => text.replaceAll(/[^ -~]/g, '').trim() || 'a'),
  payload: body,
})

/** In a request target, other characters are percent-encoded. */
function toTarget(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^!-~]|#/gu, encodeURIComponent)
    .slice(0, 7500)
}

async function send(app: TestApp, { target, type, field, payload }: Sent): Promise<void> {
  const headers = { accept: 'text/html', 'x-other': field, referer: field, 'x-token': field }
  const content = { ...(type && { 'content-type': type }) }
  await app.inject({ method: 'POST', url: target, headers: { ...headers, ...content }, payload })
}

/** Far above what any takes: those that blocked the service took much longer. */
const maxCpuMs = 2000

async function assertCheap(app: TestApp, url: string, accept: string): Promise<string> {
  const before = process.cpuUsage()
  const { statusCode, body } = await app.inject({ url, headers: { accept } })
  const { user, system } = process.cpuUsage(before)
  assert.equal(statusCode, 200, `${url} ${accept} ${body.slice(0, 200)}`)
  assert.ok((user + system) / 1000 < maxCpuMs, `${url} ${accept} took ${String(user + system)} µs`)
  return body
}

const json = 'application/json'
const html = 'text/html'

async function listIds(app: TestApp): Promise<readonly string[]> {
  const list = JSON.parse(await assertCheap(app, '/inspector', json)) as Record<string, unknown>
  return (list.exchanges as { id: string }[]).map(({ id }) => id)
}

async function check(each: (value: Sent) => Promise<void>): Promise<void> {
  const limits = { numRuns: 60, interruptAfterTimeLimit: 18_000, endOnFailure: true }
  await fc.assert(fc.asyncProperty(sent, each), limits)
}

const openApp = (t: TestContext, settings: Record<string, string> = {}) =>
  catalogueApp(t, { settings: { INSPECTOR: 'all', ...settings } })

test('what the inspector shows of a random request takes little time', async (t) => {
  const app = await openApp(t)
  await check(async (value) => {
    await app.inject({ method: 'DELETE', url: '/inspector' })
    await send(app, value)
    await send(app, { ...value, payload: `${value.payload.slice(1)}\n` })
    const [one = '', other = ''] = await listIds(app)
    for (const [url, accept] of [
      ['/inspector', html],
      ['/inspector?path=token', html],
      [`/inspector/${one}`, json],
      [`/inspector/${one}`, html],
      [`/inspector/${one}`, 'text/plain'],
      [`/inspector/${other}.http`, 'message/http'],
      [`/inspector/${other}.har`, json],
      ['/inspector.har', json],
      [`/inspector/diff?a=${one}&b=${other}`, json],
      [`/inspector/diff?a=${one}&b=${other}`, html],
    ] as const)
      await assertCheap(app, url, accept)
  })
})

test('the events of random requests take little time', async (t) => {
  const app = await openApp(t)
  const origin = await app.listen({ port: 0 })
  for (const value of fc.sample(sent, 200)) await send(app, { ...value, payload: 'a' })
  const before = process.cpuUsage()
  const { next } = await openEvents(t, `${origin}/inspector/events?rows=html&after=0`)
  for (let count = 0; count < 200; count += 1) assert.ok(await next())
  const { user, system } = process.cpuUsage(before)
  assert.ok((user + system) / 1000 < maxCpuMs, `${String(user + system)} µs`)
})

test('what a replica asks another for takes little time', withRedis, async (t) => {
  const redis = await startRedis()
  t.after(redis.kill)
  const [one, two] = [
    await openApp(t, { REDIS_URL: redis.url }),
    await openApp(t, { REDIS_URL: redis.url }),
  ]
  await check(async (value) => {
    await until(
      async () => (await one.inject({ method: 'DELETE', url: '/inspector' })).statusCode === 204,
    )
    await send(one, value)
    await until(async () => (await listIds(two)).length === 1)
    const [id = ''] = await listIds(two)
    await assertCheap(two, `/inspector/${id}`, json)
    await assertCheap(two, '/inspector.har', json)
  })
})

test('a search among long targets without a match takes little time', async (t) => {
  const app = await openApp(t)
  const target = `/mirror?token=zz&a=${'[]=&["[\\"'.repeat(800)}`
  for (let count = 0; count < 1000; count += 1)
    await app.inject({ url: target, headers: { accept: html } })
  for (const query of ['path=zz', 'method=PUT', 'mine=1'])
    await assertCheap(app, `/inspector?${query}`, json)
})

test('the archive of many exchanges takes a time in proportion to their number', async (t) => {
  const app = await openApp(t, { INSPECTOR_MAX_BYTES: String(128 * 1024 ** 2) })
  for (let count = 0; count < 4000; count += 1)
    await app.inject({ url: `/mirror?count=${String(count)}`, headers: { accept: html } })
  const archive = await assertCheap(app, '/inspector.har', json)
  assert.equal(archive.match(/"startedDateTime"/g)?.length, 1000)
})
