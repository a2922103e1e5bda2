import { AggregatorRegistry } from 'prom-client'
import type { Config } from '../config/config.ts'
import type { ReadinessState } from './readiness.ts'
import { openAdminServer } from './admin-server.ts'
import type { SendRequest, Supervised } from './worker-channel.ts'

export function openSupervisorAdmin(config: Config, supervised: Supervised): Promise<() => void> {
  const { living } = supervised
  const renderMetrics = createMetricsMerger()
  return openAdminServer(config, {
    readReadiness: async () =>
      supervised.state === 'stopping' ? 'draining' : readReadiness([...living.values()]),
    readMetrics: async () => {
      const entries = [...living].map(async ([id, send]) => [id, await send('metrics')] as const)
      return renderMetrics(new Map(await Promise.all(entries)))
    },
  })
}

async function readReadiness(workers: readonly SendRequest[]): Promise<ReadinessState> {
  const states = workers.map((send) => send('readiness'))
  const ready = states.map(
    async (state) => (await state) === 'ready' || Promise.reject(new Error('not ready')),
  )
  if (await Promise.any(ready).catch(() => false)) return 'ready'
  const found = await Promise.all(states)
  const problems = ['no database', 'no free connection'] as const
  return problems.find((problem) => found.includes(problem)) ?? 'starting'
}

type Snapshot = readonly object[]

/** Includes the counters of workers that ended: a decreasing counter would look like a restart. */
function createMetricsMerger(): (snapshots: ReadonlyMap<number, unknown>) => Promise<string> {
  const latest = new Map<number, Snapshot>()
  let ended: Snapshot = []
  return (snapshots) => {
    for (const [id, snapshot] of snapshots) if (isSnapshot(snapshot)) latest.set(id, snapshot)
    for (const [id, snapshot] of latest) {
      if (snapshots.has(id)) continue
      latest.delete(id)
      const counts = snapshot.filter(isCumulative)
      ended = AggregatorRegistry.aggregate([ended, counts]).getMetricsAsArray()
    }
    return AggregatorRegistry.aggregate([ended, ...latest.values()]).metrics()
  }
}

function isSnapshot(value: unknown): value is Snapshot {
  return Array.isArray(value)
}

function isCumulative(metric: object): boolean {
  return 'type' in metric && ['counter', 'histogram'].includes(String(metric.type))
}
