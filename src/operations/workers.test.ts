import cluster from 'node:cluster'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { projectFolder } from '../../test/start-vitrine.ts'
import { countersContract } from '../stores/counters/counters.contract.ts'
import type { Count, Counters } from '../stores/counters/counters.ts'
import { createMemoryCounters } from '../stores/counters/memory.ts'
import { openChannel } from './worker-channel.ts'

cluster.setupPrimary({ exec: join(projectFolder, 'test/counting-worker.ts') })

/** The counters of a worker, whose supervisor is this process. */
async function openWorker(t: TestContext, { add: count }: Counters): Promise<Counters> {
  const worker = cluster.fork({ VITRINE_WORKER_PORT: '0' })
  t.after(async () => {
    worker.kill('SIGKILL')
    if (!worker.isDead()) await once(worker, 'exit')
  })
  const { promise: opened, resolve: open } = Promise.withResolvers<undefined>()
  const send = openChannel(worker, {
    count,
    opened: () => {
      open(undefined)
    },
  })
  await opened
  return { add: async (key) => (await send('count', key)) as Count }
}

countersContract('the supervisor of workers', async (t, windowMs) =>
  openWorker(t, createMemoryCounters(windowMs)),
)

test('all workers count together', async (t) => {
  const counters = createMemoryCounters(60_000)
  const one = await openWorker(t, counters)
  const another = await openWorker(t, counters)
  assert.equal((await one.add('shared')).requests, 1)
  assert.equal((await another.add('shared')).requests, 2)
})
