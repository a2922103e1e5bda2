import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from 'prom-client'

/** What `toSnapshot` of one process gives. */
type Snapshot = readonly MetricObjectWithValues<MetricValue<string>>[]

/**
 * Makes the function that puts together what the workers count: it takes a snapshot of each that lives,
 * by its id, and undefined for one that has not answered. What a worker has counted stays when it is
 * gone: a sum that falls would be taken for a restart, and all of it be counted once more.
 */
export function createMerging(): (snapshots: ReadonlyMap<number, unknown>) => Promise<string> {
  const last = new Map<number, Snapshot>()
  let departed: Snapshot = []
  return (snapshots) => {
    for (const [id, snapshot] of snapshots) {
      if (snapshot !== undefined) last.set(id, snapshot as Snapshot)
    }
    for (const [id, snapshot] of last) {
      if (snapshots.has(id)) continue
      last.delete(id)
      departed = merge([
        departed,
        snapshot.filter(isCounted),
      ]).getMetricsAsArray() as Snapshot[number][]
    }
    return merge([departed, ...last.values()]).metrics()
  }
}

function merge(snapshots: readonly Snapshot[]) {
  return AggregatorRegistry.aggregate([...snapshots])
}

/** The library types it as a number, and gives a word. */
function isCounted({ type }: Snapshot[number]): boolean {
  return ['counter', 'histogram'].includes(String(type))
}
