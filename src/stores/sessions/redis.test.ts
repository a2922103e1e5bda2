import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import { startRedis, useRedis, withRedis } from '../../../test/support/redis-server.ts'
import { StoreFailure } from '../store-failure.ts'
import { openRedisDatabase } from '../redis/database.ts'
import { createRedisSessions } from './redis.ts'
import { sessionOf, sessionsContract } from './sessions.contract.ts'

suite('with Redis', withRedis, () => {
  const connect = useRedis()

  /** On an empty server. */
  async function openSessions(t: TestContext) {
    const redis = await connect(t)
    await redis.flushall()
    return { redis, sessions: createRedisSessions(redis) }
  }

  sessionsContract('Redis', async (t) => (await openSessions(t)).sessions, {
    forgetsByItself: true,
  })

  test('an expired session is removed, by its idle and its absolute end', async (t) => {
    const { redis, sessions } = await openSessions(t)
    const past = new Date(Date.now() - 1).toISOString()
    await sessions.create('idle', sessionOf({ idleUntil: past }))
    await sessions.create('expired', sessionOf({ expiresAt: past }))
    await sessions.create('touched', sessionOf())
    await sessions.touch('touched', past)
    assert.deepEqual(await redis.keys('*'), [])
  })

  test('Redis expires a session at the earlier of its ends, and a touch extends it', async (t) => {
    const { redis, sessions } = await openSessions(t)
    const session = sessionOf()
    await sessions.create('hash', session)
    const [key = ''] = await redis.keys('*')
    assert.equal(await redis.pexpiretime(key), Date.parse(session.idleUntil))
    await sessions.touch('hash', session.expiresAt.replace(/^\d+/, '9000'))
    assert.equal(await redis.pexpiretime(key), Date.parse(session.expiresAt))
  })

  test('another connection has the same sessions', async (t) => {
    const { sessions } = await openSessions(t)
    const others = createRedisSessions(await connect(t))
    await sessions.create('hash', sessionOf())
    assert.deepEqual(await others.find('hash'), sessionOf())
    await others.remove('hash')
    assert.equal(await sessions.find('hash'), undefined)
  })

  test('a full Redis is reported as a full store', async (t) => {
    const { redis, sessions } = await openSessions(t)
    await redis.config('SET', 'maxmemory', '1')
    await assert.rejects(
      sessions.create('hash', sessionOf()),
      (error) => error instanceof StoreFailure && error.kind === 'full',
    )
    await redis.config('SET', 'maxmemory', '0')
    await sessions.create('hash', sessionOf())
  })

  test('a Redis that rejects the password stops the start, and an unreachable one does not', async (t) => {
    const { url, kill } = await startRedis(['--requirepass', 'secret'])
    t.after(kill)
    const withPassword = (password: string) => url.replace('//', `//:${password}@`)
    await assert.rejects(openRedisDatabase(url), /REDIS_URL.*NOAUTH/)
    await assert.rejects(openRedisDatabase(withPassword('wrong')), /REDIS_URL.*WRONGPASS/)
    await assert.rejects(openRedisDatabase(`${withPassword('secret')}/99`), /REDIS_URL.*index/)
    const problems: string[] = []
    const warn = (problem: string) => problems.push(problem)
    const valkey = withPassword('secret').replace('redis:', 'valkey:')
    const opened = await openRedisDatabase(valkey, warn)
    t.after(opened.close)
    assert.deepEqual(problems, [])
    const missing = await openRedisDatabase('redis://127.0.0.1:1', warn)
    t.after(missing.close)
    assert.match(problems.join(), /ECONNREFUSED/)
  })
})
