import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import { openEvents } from '../support/event-stream.ts'
import { withRedis } from '../support/redis-server.ts'
import { until } from '../support/until.ts'
import { openRedisDatabase } from '../../src/stores/redis/database.ts'
import type { Exchange, Summary } from '../../src/exchanges/exchange.ts'
import {
  send,
  getJson,
  list,
  listAll,
  clearAll,
  findNotice,
  startBoth,
  secret,
  other,
  page,
  type List,
  type Headers,
} from './inspector-replicas.ts'

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
    const streamed = events.map((event) => (event?.value as Summary).target)
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
      events.map((event) => (event?.value as Summary).target),
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
    assert.equal((event?.value as Summary).target, '/user-of-viewer')
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
})
