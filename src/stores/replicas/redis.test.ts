import { suite, test } from 'node:test'
import { useRedis, withRedis } from '../../../test/support/redis-server.ts'
import { until } from '../../../test/support/until.ts'
import { createOpenReplicas } from './redis.ts'
import { replicasContract } from './replicas.contract.ts'

suite('with Redis', withRedis, () => {
  const connect = useRedis()

  replicasContract('Redis', async (t) => createOpenReplicas(await connect(t)))

  test('a question leaves nothing in Redis', async (t) => {
    const redis = await connect(t)
    const replicas = createOpenReplicas(redis)('any', String)
    t.after(replicas.close)
    await until(async () => (await replicas.ask('a')) !== undefined)
    await until(async () => (await redis.dbsize()) === 0)
  })
})
