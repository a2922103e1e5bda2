import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { useRedis, withRedis } from '../../../test/support/redis-server.ts'
import { countersContract } from './counters.contract.ts'
import { createRedisCounters } from './redis.ts'

suite('with Redis', withRedis, () => {
  const connect = useRedis()

  countersContract('Redis', async (t, windowMs) => {
    const redis = await connect(t)
    await redis.flushall()
    return createRedisCounters(redis, windowMs)
  })

  test('all connections count together', async (t) => {
    const one = createRedisCounters(await connect(t), 60_000)
    const another = createRedisCounters(await connect(t), 60_000)
    const { requests } = await one.add('shared')
    assert.equal((await another.add('shared')).requests, requests + 1)
  })

  test('every counter expires', async (t) => {
    const redis = await connect(t)
    await redis.flushall()
    const counters = createRedisCounters(redis, 60_000)
    await counters.add('a')
    const [lasting = ''] = await redis.keys('*')
    await redis.persist(lasting)
    await Promise.all(['a', 'a', 'b'].map(async (key) => counters.add(key)))
    for (const key of await redis.keys('*')) {
      const ms = await redis.pttl(key)
      assert.ok(ms > 0 && ms <= 60_000, `${key}: ${String(ms)}`)
    }
    assert.equal(await redis.dbsize(), 2)
  })
})
