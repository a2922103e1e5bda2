import type { FastifyInstance } from 'fastify'
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { startRedis, withRedis } from '../../test/support/redis-server.ts'
import { testApp } from '../../test/support/test-app.ts'
import { until } from '../../test/support/until.ts'

async function readLeft(app: FastifyInstance): Promise<string> {
  const { statusCode, headers } = await app.inject('/mirror/query')
  const [, left = ''] = /;r=(\d+)/.exec(String(headers.ratelimit)) ?? []
  return `${String(statusCode)} ${left}`
}

suite('with Redis', withRedis, () => {
  test('all processes count together, and each on its own while Redis is down', async (t) => {
    const redis = await startRedis()
    t.after(redis.kill)
    const settings = { RATE_LIMIT: '5', REDIS_URL: redis.url }
    const one = await testApp(t, { settings })
    const another = await testApp(t, { settings })
    assert.deepEqual(
      [await readLeft(one), await readLeft(another), await readLeft(one)],
      ['200 4', '200 3', '200 2'],
    )
    const unroutable = await one.inject('/%ff')
    assert.equal(unroutable.statusCode, 400)
    assert.match(String(unroutable.headers.ratelimit), /;r=1;/)
    await redis.kill()
    for (const app of [one, another]) {
      for (const expected of ['200 4', '200 3', '200 2', '200 1', '200 0', '429 0']) {
        assert.equal(await readLeft(app), expected)
      }
      const warnings = app.logLines.filter((line) =>
        line.includes('requests are counted per process'),
      )
      assert.equal(warnings.length, 1)
      assert.doesNotMatch(String(warnings), /stack/)
    }
    await redis.restart()
    // By then both are connected again and share their counters.
    await until(async () => (await readLeft(one)) === '200 4')
    await until(async () => (await readLeft(another)).startsWith('200'))
  })

  test('a frozen Redis delays requests only briefly', async (t) => {
    const redis = await startRedis()
    t.after(redis.kill)
    const app = await testApp(t, { settings: { RATE_LIMIT: '5', REDIS_URL: redis.url } })
    assert.equal(await readLeft(app), '200 4')
    redis.signal('SIGSTOP')
    const responses = await Promise.all([readLeft(app), readLeft(app), readLeft(app)])
    assert.deepEqual(responses.toSorted(), ['200 2', '200 3', '200 4'])
    assert.equal(await readLeft(app), '200 1')
    redis.signal('SIGCONT')
  })
})
