import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from 'prom-client'
import type { Config } from '../config/config.ts'
import type { ReadinessState } from './readiness.ts'
import { openAdminServer } from './admin-server.ts'
import { findFirst, type SendRequest } from './worker-channel.ts'

export interface Supervised {
  /** By worker id. */
  workers: ReadonlyMap<number, SendRequest>
  isStopping: () => boolean
}

/** Opens ADMIN_PORT for several workers; returns the function that closes it. */
export function openSupervisorAdmin(
  config: Config & { adminPort: number },
  { workers, isStopping }: Supervised,
): Promise<() => void> {
  const renderMetrics = createMetricsMerger()
  return openAdminServer(config, {
    readReadiness: async () => (isStopping() ? 'draining' : readReadiness([...workers.values()])),
    readMetrics: async () => {
      const entries = [...workers].map(async ([id, send]) => [id, await send('metrics')] as const)
      return renderMetrics(new Map(await Promise.all(entries)))
    },
  })
}

/** Ready as soon as one worker is. */
async function readReadiness(workers: readonly SendRequest[]): Promise<ReadinessState> {
  const states = workers.map((send) => send('readiness'))
  if (await findFirst(states, (state) => state === 'ready')) return 'ready'
  return (await Promise.all(states)).includes('no database') ? 'no database' : 'starting'
}

/** The result of `readSnapshot` of one process. */
type Snapshot = MetricObjectWithValues<MetricValue<string>>[]

/**
 * Takes the snapshots of the living workers by id; undefined if a worker did not respond. Counters of
 * workers that ended are still included: Prometheus takes a decreasing counter for a restart.
 */
function createMetricsMerger(): (snapshots: ReadonlyMap<number, unknown>) => Promise<string> {
  const latest = new Map<number, Snapshot>()
  let ended: Snapshot = []
  return (snapshots) => {
    for (const [id, snapshot] of snapshots) {
      if (snapshot !== undefined) latest.set(id, snapshot as Snapshot)
    }
    for (const [id, snapshot] of latest) {
      if (snapshots.has(id)) continue
      latest.delete(id)
      const merged = AggregatorRegistry.aggregate([ended, snapshot.filter(isCumulative)])
      ended = merged.getMetricsAsArray() as Snapshot
    }
    return AggregatorRegistry.aggregate([ended, ...latest.values()]).metrics()
  }
}

/** prom-client declares `type` as a number and sets a string. */
function isCumulative({ type }: Snapshot[number]): boolean {
  return ['counter', 'histogram'].includes(String(type))
}
