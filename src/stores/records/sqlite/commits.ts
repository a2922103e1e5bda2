import type { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { StoreFailure } from '../../store-failure.ts'
import { isLocked, retryWhileBusy, runInTransaction } from '../../sqlite/database.ts'

export interface Write {
  resource: string
  growth: -1 | 0 | 1
  /** Returns the number of written records. Runs again after a rollback. */
  run: () => number
  /** Whether the record exists, so that a create writes nothing and needs no room. */
  isStored: () => boolean
}

interface WaitingWrite extends Write, PromiseWithResolvers<number> {
  askedAt: number
}

type Commit = (writes: readonly WaitingWrite[]) => Promise<(number | 'full')[]>

export interface Commits {
  /** Resolves with the number of written records. */
  write: (write: Write) => Promise<number>
  settle: () => Promise<void>
}

/**
 * Commits the writes of one turn of the event loop in one transaction, in their order: a create
 * among 24 takes a third of the time, with DURABILITY=full a tenth.
 */
export function createCommits(database: DatabaseSync, maxRecords?: number): Commits {
  const runTogether = createCountedRun(database, maxRecords)
  // No write waits for a lock longer than allowed, counted from the first.
  const commit: Commit = (writes) =>
    retryWhileBusy(() => runInTransaction(database, () => runTogether(writes)), writes[0]?.askedAt)
  let waiting: WaitingWrite[] = []
  let committing: Promise<void> | undefined
  const commitAll = async () => {
    while (waiting.length > 0) {
      await setImmediate()
      const writes = waiting
      waiting = []
      await settleAll(writes, commit)
    }
    committing = undefined
  }
  return {
    write: (write) => {
      const settled = Promise.withResolvers<number>()
      waiting.push({ ...write, ...settled, askedAt: performance.now() })
      committing ??= commitAll()
      return settled.promise
    },
    settle: async () => committing,
  }
}

async function settleAll(writes: readonly WaitingWrite[], commit: Commit): Promise<void> {
  try {
    for (const [index, outcome] of (await commit(writes)).entries()) {
      const write = writes[index]
      if (outcome !== 'full') write?.resolve(outcome)
      else write?.reject(new StoreFailure('full', `no more ${write.resource}`))
    }
  } catch (error) {
    // A failed write may have left a part of itself, so the whole transaction was rolled back.
    if (writes.length > 1 && !isLocked(error))
      for (const write of writes) await settleAll([write], commit)
    else for (const { reject } of writes) reject(error)
  }
}

/** `maxRecords` is exact: no other process writes while the records are counted. */
function createCountedRun(database: DatabaseSync, maxRecords?: number) {
  // Not a trigger, which would double the time of a create.
  const count = database.prepare(
    `INSERT INTO record_counts VALUES (?1, ?2) ON CONFLICT DO UPDATE SET count = count + ?2`,
  )
  const readCount = database.prepare('SELECT count FROM record_counts WHERE resource = ?')

  function isFull(resource: string, growth: number): boolean {
    if (maxRecords === undefined) return false
    return Number(readCount.get(resource)?.count ?? 0) + growth >= maxRecords
  }

  return (writes: readonly Write[]): (number | 'full')[] => {
    const growths = new Map<string, number>()
    const outcomes = writes.map(({ resource, growth, run, isStored }) => {
      const before = growths.get(resource) ?? 0
      if (growth === 1 && isFull(resource, before)) return isStored() ? 0 : 'full'
      const written = run()
      growths.set(resource, before + written * growth)
      return written
    })
    for (const [resource, growth] of growths) if (growth !== 0) count.run(resource, growth)
    return outcomes
  }
}
