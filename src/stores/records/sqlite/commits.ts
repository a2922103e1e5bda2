import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { noMoreRecords, StoreFailure } from '../../store-failure.ts'
import { explainFull, isLocked, retryBusy, transact, watchPlace } from '../../sqlite/database.ts'
import type { Value } from '../dialect.ts'
import { toMaxRecords, type ChangeKind, type RecordLimits } from '../records.ts'
import type { OwnLog } from './changes.ts'
import type { RecordCache } from './record-cache.ts'
import { nextTurn, performance } from '../../../timers.ts'

export interface Write {
  resource: string
  growth: -1 | 0 | 1
  change?: ChangeKind | undefined
  /** Whether it succeeds without a record to write. */
  mayBeNone?: true
  statement: Pick<StatementSync, 'run'>
  values: readonly Value[]
}

/** A write has one or several parts. A function returns 0 if its condition is false. */
export type WritePart = Write | (() => number)

interface WaitingWrite extends PromiseWithResolvers<number> {
  parts: readonly WritePart[]
  requestedAtMs: number
}

export type Commits = ReturnType<typeof createCommits>

/** Commits the writes of one turn of the event loop in one transaction, in their order. */
export function createCommits(
  database: DatabaseSync,
  parts: { cache: RecordCache; log: OwnLog },
  limits: RecordLimits = {},
) {
  const assertInPlace = watchPlace(database)
  const runCounted = createCountedRun(database, parts, limits)
  const run = (writes: readonly WaitingWrite[]) => {
    const settles = runCounted(writes)
    // No write is acknowledged that would go into a removed file.
    assertInPlace()
    return settles
  }
  let waiting: WaitingWrite[] = []
  let committing: Promise<void> | undefined
  const commitAll = async () => {
    while (waiting.length > 0) {
      await nextTurn()
      const writes = waiting
      waiting = []
      await commit(database, run, writes)
    }
    committing = undefined
  }
  return {
    /** The number of records that one part has written, or of the parts before the first that failed. */
    write: (...parts: readonly WritePart[]): Promise<number> => {
      const settled = Promise.withResolvers<number>()
      waiting.push({ parts, ...settled, requestedAtMs: performance.now() })
      committing ??= commitAll()
      return settled.promise
    },
    settle: async () => committing,
    assertInPlace,
  }
}

async function commit(
  database: DatabaseSync,
  run: ReturnType<typeof createCountedRun>,
  writes: readonly WaitingWrite[],
): Promise<void> {
  try {
    const runTogether = () => transact(database, () => run(writes))
    // No write waits for a lock longer than allowed, counted from the first.
    for (const settle of await retryBusy(runTogether, writes[0]?.requestedAtMs)) settle()
  } catch (error) {
    // A failed write may have left a part of itself, so the whole transaction was rolled back.
    if (writes.length > 1 && !isLocked(error))
      for (const write of writes) await commit(database, run, [write])
    else for (const { reject } of writes) reject(explainFull(database, error))
  }
}

/** The limits are exact: no other process writes while the records are counted. */
function createCountedRun(
  database: DatabaseSync,
  { cache, log }: Parameters<typeof createCommits>[1],
  limits: RecordLimits,
) {
  // A trigger would double the time of a create.
  const count = database.prepare(
    `INSERT INTO record_counts VALUES (?1, ?2) ON CONFLICT DO UPDATE SET count = count + ?2`,
  )
  const readCount = database.prepare('SELECT count FROM record_counts WHERE resource = ?')
  const assertRoom = (resource: string, id: Value | undefined, growth: number) => {
    const max = toMaxRecords(resource, limits)
    if (max === undefined) return
    const isFull = Number(readCount.get(resource)?.count ?? 0) + growth >= max
    if (isFull && !cache.isStored(resource, id)) throw noMoreRecords(resource, max)
  }

  return (writes: readonly WaitingWrite[]): (() => void)[] => {
    let growths = new Map<string, number>()
    const runPart = (part: WritePart): number => {
      if (typeof part === 'function') return part()
      const { resource, growth, statement, values, change } = part
      const [id] = values
      const before = growths.get(resource) ?? 0
      if (growth === 1) assertRoom(resource, id, before)
      cache.forget(resource, id)
      const written = Number(statement.run(resource, ...values).changes)
      growths.set(resource, before + written * growth)
      if (change && written > 0) log.add(resource, change, String(id))
      return part.mayBeNone ? 1 : written
    }
    const runAll = (parts: readonly WritePart[]): number => {
      const before = new Map(growths)
      let done = 0
      let failure: StoreFailure | undefined
      database.exec('SAVEPOINT parts')
      try {
        while (parts.slice(done, done + 1).some(runPart)) done += 1
      } catch (error) {
        // Any other error rolls back the whole transaction.
        if (!(error instanceof StoreFailure)) throw error
        failure = error
      }
      if (done < parts.length) {
        growths = before
        database.exec('ROLLBACK TO parts')
      }
      database.exec('RELEASE parts')
      if (failure) throw failure
      return done
    }
    const callbacks = writes.map(({ parts, resolve, reject }) => {
      try {
        const [part, ...more] = parts
        return resolve.bind(undefined, part && more.length === 0 ? runPart(part) : runAll(parts))
      } catch (error) {
        if (error instanceof StoreFailure) return reject.bind(undefined, error)
        throw error
      }
    })
    for (const [resource, growth] of growths) if (growth !== 0) count.run(resource, growth)
    return callbacks
  }
}
