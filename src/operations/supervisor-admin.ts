import type { Worker } from 'node:cluster'
import type { Config } from '../config/config.ts'
import { loadDriver } from '../stores/load-driver.ts'
import type { ReadinessState } from './readiness.ts'
import { openAdminServer } from './admin-server.ts'
import { createWorkerRequests } from './worker-requests.ts'

/** What the supervisor knows itself. */
export interface Supervised {
  living: ReadonlySet<Worker>
  isStopping: () => boolean
}

type WorkerRequests = ReturnType<typeof createWorkerRequests>

/** Opens ADMIN_PORT for several workers, who are asked; gives the function that closes it. */
export async function openSupervisorAdmin(
  config: Config & { adminPort: number },
  { living, isStopping }: Supervised,
): Promise<() => void> {
  const { createMerging } = await loadDriver(
    'ADMIN_PORT',
    'prom-client',
    () => import('./merge-metrics.ts'),
  )
  const merge = createMerging()
  const ask = createWorkerRequests()
  return openAdminServer(config, {
    readReadiness: async () => (isStopping() ? 'draining' : readReadiness([...living], ask)),
    readMetrics: async () => {
      const entries = [...living].map(
        async (worker) => [worker.id, await ask(worker, 'metrics')] as const,
      )
      return merge(new Map(await Promise.all(entries)))
    },
  })
}

/** Ready as soon as one says so. */
async function readReadiness(
  workers: readonly Worker[],
  ask: WorkerRequests,
): Promise<ReadinessState> {
  const { promise, resolve } = Promise.withResolvers<ReadinessState>()
  const answers = workers.map(async (worker) => {
    const answer = await ask(worker, 'readiness')
    if (answer === 'ready') resolve('ready')
    return answer
  })
  void Promise.all(answers).then((all) => {
    resolve(all.includes('no database') ? 'no database' : 'starting')
  })
  return promise
}
