import assert from 'node:assert/strict'
import { once } from 'node:events'
import { suite, test } from 'node:test'
import { openEvents } from '../support/event-stream.ts'
import { createSchema, openPostgresServer, withoutPostgres } from '../support/postgres-server.ts'
import { withRedis } from '../support/redis-server.ts'
import { startVitrine } from '../support/start-vitrine.ts'
import { until } from '../support/until.ts'
import type { Exchange, Summary } from '../../src/exchanges/exchange.ts'
import {
  send,
  getJson,
  list,
  listAll,
  clear,
  clearAll,
  findNotice,
  startBoth,
  ofOne,
  oneSilent,
} from './inspector-replicas.ts'

suite('failing replicas with Redis', withRedis, () => {
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
    assert.equal(((await stream.next())?.value as Summary).target, '/user3')
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
