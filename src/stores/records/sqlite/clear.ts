import type { DatabaseSync } from 'node:sqlite'
import { retryWhileBusy, runInTransaction } from '../../sqlite/database.ts'

/** A few milliseconds, during which other requests wait. */
const recordsPerStep = 500

export function createClear(
  database: DatabaseSync,
  forgetAll: () => void,
): (resource: string) => Promise<number> {
  const remove = database.prepare(
    `DELETE FROM records WHERE rowid IN (
       SELECT rowid FROM records WHERE resource = ? LIMIT ${String(recordsPerStep)}
     )`,
  )
  const count = database.prepare('UPDATE record_counts SET count = count - ? WHERE resource = ?')

  function step(resource: string): number {
    forgetAll()
    const removed = Number(remove.run(resource).changes)
    count.run(removed, resource)
    return removed
  }

  return async (resource) => {
    let total = 0
    let removed
    do {
      removed = await retryWhileBusy(() => runInTransaction(database, () => step(resource)))
      total += removed
    } while (removed === recordsPerStep)
    return total
  }
}
