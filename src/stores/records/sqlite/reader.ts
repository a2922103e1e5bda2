import type { DatabaseSync } from 'node:sqlite'
import { retryWhileBusy } from '../../sqlite/database.ts'
import { notNeeded } from '../../store-failure.ts'
import type { SqlDialect } from '../dialect.ts'
import { createLimitedReads, now } from './limited-reads.ts'
import type { Prepare } from './statements.ts'
import type { ReadThread } from './thread.ts'

/** For so long, a query may hold up other requests. */
const maxOwnMs = 2

/** Tries each query here, and then in the thread. A database in memory, which has none, reads here to the end. */
export function createReader(
  database: DatabaseSync,
  prepare: Prepare,
  thread: ReadThread | undefined,
): SqlDialect['read'] {
  const read = createLimitedReads(database, prepare)
  return async (queries, isCancelled) => {
    if (isCancelled?.() === true) throw notNeeded()
    for (const [index, query] of queries.entries()) {
      const isEndless = !thread && index === queries.length - 1
      const end = isEndless ? Infinity : now() + maxOwnMs
      const rows = await retryWhileBusy(() => read(query, () => now() > end))
      if (rows) return rows
    }
    return thread?.read(queries, isCancelled) ?? []
  }
}
