import assert from 'node:assert/strict'
import { once } from 'node:events'
import { suite, test, type TestContext } from 'node:test'
import { openEvents } from '../event-stream.ts'
import { createSchema, openPostgresServer, withoutPostgres } from '../postgres-server.ts'
import { startRedis, withRedis } from '../redis-server.ts'
import { startVitrine } from '../start-vitrine.ts'
import { until } from '../until.ts'
import { openRedisDatabase } from '../../src/stores/redis/database.ts'
import type { Exchange, ExchangeSummary } from '../../src/inspector/exchange.ts'

type Replica = Awaited<ReturnType<typeof startVitrine>>
type Headers = Readonly<Record<string, string>>

interface List {
  exchanges: ExchangeSummary[]
  scope: string
  silent: number
}

const secret = { 'x-inspector': 'a secret of 16 c' }
const other = { 'x-inspector': 'another secret, 2' }
const page = { accept: 'text/html' }
const ofOne = 'Only the requests that this replica of the service received are available.'
const oneSilent = '1 process of the service did not respond in time, so its requests are missing.'

async function send({ origin }: Replica, path: string, init: RequestInit = {}) {
  const response = await fetch(origin + path, init)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** Until it is there: a busy process may not respond to another in time. */
async function getJson<Value>(one: Replica, path: string, given: Headers = {}) {
  const headers = { accept: 'application/json', ...given }
  let response = await send(one, path, { headers })
  await until(async () => {
    if (response.status === 404) response = await send(one, path, { headers })
    return response.status === 200
  })
  return JSON.parse(response.text) as Value
}

async function list(one: Replica, headers: Headers = {}) {
  const { exchanges, ...coverage } = await getJson<List>(one, '/inspector?path=/user', headers)
  return { targets: exchanges.map(({ target }) => target), exchanges, ...coverage }
}

async function listAll(one: Replica, headers: Headers = {}) {
  let found = await list(one, headers)
  await until(async () => {
    if (found.scope !== 'service' || found.silent > 0) found = await list(one, headers)
    return found.scope === 'service' && found.silent === 0
  })
  return found
}

const clear = (one: Replica, headers: Headers = {}) =>
  send(one, '/inspector', { method: 'DELETE', headers })

const clearAll = (one: Replica, headers: Headers = {}) =>
  until(async () => (await clear(one, headers)).status === 204)

async function findNotice(one: Replica) {
  const { text } = await send(one, '/inspector', { headers: page })
  return /<p [^>]*data-part="notice"[^>]*>(.*?)<\/p>/.exec(text)?.[1]
}

/** On Redis, when both have found each other. */
async function startBoth(t: TestContext, settings: Record<string, string> = {}) {
  const redis = await startRedis()
  t.after(redis.kill)
  const start = (more: Record<string, string> = {}) =>
    startVitrine(t, { LOG_LEVEL: 'silent', REDIS_URL: redis.url, ...settings, ...more })
  const [one, two] = await Promise.all([start(), start()])
  await send(one, '/user1', { headers: secret })
  await until(async () => (await list(two, secret)).targets.length === 1)
  await listAll(one)
  await clearAll(two, secret)
  return { redis, one, two, start }
}

/** What was sent through Redis since. */
async function monitorRedis(t: TestContext, url: string): Promise<() => string> {
  const { redis: client, close } = await openRedisDatabase(url)
  t.after(close)
  const monitor = await client.monitor()
  t.after(() => {
    monitor.disconnect()
  })
  let seen = ''
  monitor.on('monitor', (_time: string, args: string[]) => (seen += args.join(' ')))
  monitor.on('error', () => undefined)
  return () => seen
}

suite('replicas with Redis', withRedis, () => {
  test('each lists, shows, streams, exports and clears the exchanges of all', async (t) => {
    const { one, two } = await startBoth(t)
    const stream = await openEvents(t, `${one.origin}/inspector/events?path=/user`)
    await send(one, '/user1')
    await send(two, '/user2')
    const events = await stream.take(2)
    const streamed = events.map((event) => (event?.value as ExchangeSummary).target)
    assert.deepEqual(streamed.toSorted(), ['/user1', '/user2'])
    for (const replica of [one, two]) {
      const { exchanges, targets } = await listAll(replica)
      assert.deepEqual(targets, ['/user2', '/user1'])
      for (const { id, target } of exchanges) {
        assert.equal((await getJson<Exchange>(replica, `/inspector/${id}`)).target, target)
      }
      const { text } = await send(replica, '/inspector.har?path=/user')
      const urls = text.matchAll(/"url":"[^"]*(\/user\d)"/g)
      assert.deepEqual(
        Array.from(urls, ([, path]) => path),
        ['/user1', '/user2'],
      )
      await until(async () => (await findNotice(replica)) === '')
    }
    await clearAll(one)
    for (const replica of [one, two]) assert.deepEqual((await listAll(replica)).targets, [])
  })

  test('the exchanges of workers are in the list once', async (t) => {
    const { two, start } = await startBoth(t)
    const workers = await start({ WORKERS: '2' })
    const paths = Array.from({ length: 8 }, (_, index) => `/user${String(index)}`)
    for (const [index, path] of paths.entries()) await send(index % 2 ? workers : two, path)
    for (const replica of [two, workers]) {
      assert.deepEqual((await listAll(replica)).targets, paths.toReversed())
    }
  })

  test('with INSPECTOR=own, a replica gives and clears only those of the visitor', async (t) => {
    const { one, two } = await startBoth(t, { INSPECTOR: 'own' })
    const url = `${one.origin}/inspector/events?path=/user`
    const stream = await openEvents(t, url, secret)
    const cookie = { cookie: `session=${'c'.repeat(43)}` }
    const { headers } = await send(two, '/user0', { headers: page })
    await send(two, '/user1', { headers: secret })
    await send(two, '/user2', { headers: other })
    await send(two, '/user3', { headers: cookie })
    await send(two, '/user4', { headers: secret })
    const events = await stream.take(2)
    assert.deepEqual(
      events.map((event) => (event?.value as ExchangeSummary).target),
      ['/user1', '/user4'],
    )
    const targetsOf = async (viewer: Headers) => (await listAll(one, viewer)).targets
    assert.deepEqual(await targetsOf(secret), ['/user4', '/user1'])
    assert.deepEqual(await targetsOf(other), ['/user2'])
    assert.deepEqual(await targetsOf(cookie), ['/user3'])
    assert.deepEqual(await targetsOf({}), [])
    const [{ id } = assert.fail()] = (await listAll(one, other)).exchanges
    assert.equal((await send(one, `/inspector/${id}`, { headers: secret })).status, 404)
    const random = headers.get('x-request-id') ?? ''
    assert.equal((await getJson<Exchange>(one, `/inspector/${random}`)).target, '/user0')
    await clearAll(one, secret)
    assert.deepEqual(await targetsOf(secret), [])
    assert.deepEqual(await targetsOf(other), ['/user2'])
  })

  test('no cookie, X-Inspector, password or token is sent through Redis', async (t) => {
    const { redis, one, two } = await startBoth(t)
    const seen = await monitorRedis(t, redis.url)
    const stream = await openEvents(t, `${one.origin}/inspector/events?path=/user`, secret)
    const headers = {
      ...secret,
      cookie: `session=${'c'.repeat(43)}`,
      authorization: 'Bearer b-b-b',
    }
    const body = new URLSearchParams({ password: 'p-p-p', shown: 'shown-value' })
    const { headers: sent } = await send(two, '/users/post?token=t-t-t', {
      method: 'POST',
      headers,
      body,
    })
    await stream.take(1)
    await list(one, headers)
    const id = sent.get('x-request-id') ?? ''
    assert.ok((await getJson<Exchange>(one, `/inspector/${id}`)).requestBody?.text)
    await until(() => seen().includes('shown-value'))
    for (const value of ['ccccc', 'a secret of', 'b-b-b', 'p-p-p', 't-t-t']) {
      assert.equal(seen().includes(value), false, value)
    }
  })

  test('with INSPECTOR=own, only exchanges of viewers are sent through Redis', async (t) => {
    const { redis, one, two } = await startBoth(t, { INSPECTOR: 'own' })
    const seen = await monitorRedis(t, redis.url)
    const stream = await openEvents(t, `${one.origin}/inspector/events?path=/user`, secret)
    await send(two, '/user-without-owner', { headers: page })
    await send(two, '/user-of-another', { headers: other })
    await send(two, '/user-of-viewer', { headers: secret })
    const [event] = await stream.take(1)
    assert.equal((event?.value as ExchangeSummary).target, '/user-of-viewer')
    assert.match(seen(), /\/user-of-viewer/)
    assert.doesNotMatch(seen(), /user-without-owner|user-of-another/)
  })

  test('replicas with another INSPECTOR are not asked', async (t) => {
    const { one, two, start } = await startBoth(t, { INSPECTOR: 'own' })
    const all = await start({ INSPECTOR: 'all' })
    await send(all, '/user1', { headers: secret })
    await send(two, '/user2', { headers: secret })
    assert.deepEqual((await listAll(one, secret)).targets, ['/user2'])
    assert.deepEqual((await listAll(all)).targets, ['/user1'])
  })

  test('hostile bytes arrive as they were', async (t) => {
    const { one, two } = await startBoth(t)
    const target = '/user"]}%00%0a%ff\\__proto__<script>'
    const texts = ['"}],null \n\r\u2028\0{"__proto__":{"a":1}}', '\x01'.repeat(65_536), '\ud800"']
    for (const body of texts) {
      const headers = { 'content-type': 'text/plain', 'x-a': '"]} \\u0000 \x80' }
      const sent = await send(two, '/users/post/raw', { method: 'POST', headers, body })
      const path = `/inspector/${sent.headers.get('x-request-id') ?? ''}`
      const exchange = await getJson<Exchange>(one, path)
      assert.equal(exchange.requestBody?.size, Buffer.byteLength(body))
      assert.deepEqual(exchange, await getJson<Exchange>(two, path))
    }
    await send(two, target)
    assert.deepEqual((await listAll(one)).targets, (await listAll(two)).targets)
  })

  test('responses that are too large for Redis are missing, and others are not', async (t) => {
    const { one, two } = await startBoth(t)
    const requestId = 'e5c1f1c4-2a0e-4bb8-8d47-6f0a2f6f9f11'
    const headers = { 'x-request-id': requestId, 'content-type': 'text/plain' }
    const body = '\x01'.repeat(65_536)
    for (let index = 0; index < 21; index += 1) {
      await send(two, '/users/post/raw', { method: 'POST', headers, body })
    }
    const path = `/inspector?request_id=${requestId}`
    assert.deepEqual((await getJson<List>(one, path)).exchanges, [])
    assert.equal((await getJson<List>(two, path)).exchanges.length, 21)
    const { silent, exchanges } = await getJson<List>(one, '/inspector?path=raw')
    assert.deepEqual([silent, exchanges.length], [0, 21])
  })

  test('a replica that hangs is named as missing, and does nothing later', async (t) => {
    const { one, two } = await startBoth(t)
    await send(one, '/user1')
    await send(two, '/user2')
    const stream = await openEvents(t, `${one.origin}/inspector/events?path=/user`)
    two.process.kill('SIGSTOP')
    const { targets, scope, silent } = await list(one)
    assert.deepEqual([targets, scope, silent], [['/user1'], 'service', 1])
    assert.equal(await findNotice(one), oneSilent)
    const missing = { name: 'coverage', value: { scope: 'service', silent: 1, notice: oneSilent } }
    const { name, value } = (await stream.next()) ?? {}
    assert.deepEqual({ name, value }, missing)
    await send(one, '/user3')
    assert.equal(((await stream.next())?.value as ExchangeSummary).target, '/user3')
    assert.match((await send(one, `/inspector/0`)).text, /did not respond/)
    assert.equal((await clear(one)).status, 503)
    assert.deepEqual((await list(one)).targets, [])
    two.process.kill('SIGCONT')
    const whole = { scope: 'service', silent: 0, notice: '' }
    assert.deepEqual((await stream.next())?.value, whole)
    assert.deepEqual((await listAll(one)).targets, ['/user2'])
  })

  test('a replica that was killed is not waited for', async (t) => {
    const { one, two } = await startBoth(t)
    await send(one, '/user1')
    two.process.kill('SIGKILL')
    await once(two.process, 'exit')
    assert.deepEqual((await listAll(one)).targets, ['/user1'])
    await clearAll(one)
  })

  for (const failure of ['killed', 'frozen']) {
    test(`while Redis is ${failure}, a replica has its own, and the page and the events have a notice`, async (t) => {
      const { redis, one, two } = await startBoth(t)
      const stream = await openEvents(t, `${one.origin}/inspector/events?path=/user`)
      await send(one, '/user1')
      await stream.take(1)
      const sent = await send(two, '/user2')
      await stream.take(1)
      if (failure === 'killed') await redis.kill()
      else redis.signal('SIGSTOP')
      const { targets, scope, silent } = await list(one)
      assert.deepEqual([targets, scope, silent], [['/user1'], 'replica', 0])
      assert.equal(await findNotice(one), ofOne)
      const lost = { scope: 'replica', silent: 0, notice: ofOne }
      assert.deepEqual((await stream.next())?.value, lost)
      const path = `/inspector/${sent.headers.get('x-request-id') ?? ''}`
      const { status, text } = await send(one, path)
      assert.equal(status, 404)
      assert.ok(text.includes(ofOne), text)
      assert.equal((await clear(one)).status, 204)
      if (failure === 'killed') await redis.restart()
      else redis.signal('SIGCONT')
      await until(async () => (await list(one)).targets.length === 1)
      await until(async () => (await findNotice(one)) === '')
      assert.equal((await getJson<Exchange>(one, path)).target, '/user2')
    })
  }
})

test(
  'without Redis, replicas on PostgreSQL show their own, and the page has a notice',
  { skip: withoutPostgres },
  async (t) => {
    const server = await openPostgresServer()
    t.after(server.remove)
    const DATABASE_URL = await createSchema(server.url)
    const start = () => startVitrine(t, { LOG_LEVEL: 'silent', DATABASE_URL })
    const [one, two] = await Promise.all([start(), start()])
    await send(one, '/user1')
    await send(two, '/user2')
    const { targets, scope } = await list(one)
    assert.deepEqual([targets, scope], [['/user1'], 'replica'])
    assert.equal(await findNotice(one), ofOne)
  },
)
