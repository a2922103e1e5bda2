import type { DatabaseSync } from 'node:sqlite'
import { retryBusy } from '../../sqlite/database.ts'
import { notNeeded } from '../../store-failure.ts'
import type { Condition, SqlDialect } from '../dialect.ts'
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
      const rows = await retryBusy(() => read(query, () => now() > end))
      if (rows) return rows
    }
    return thread?.read(queries, isCancelled) ?? []
  }
}

const idsPerPart = 1000
/** A table of ten million ids takes about 300 MB of the disk, while its client reads. */
const maxTables = 8

/** In a temporary table of the thread, they need no memory while a client reads slowly. */
export function createReadIds(thread: ReadThread) {
  let last = 0
  let tables = 0
  async function* readIds(...[queries, isCancelled]: Parameters<SqlDialect['read']>) {
    const { read, send } = thread.bind()
    const table = `temp.ids_${String((last += 1))}`
    const toTable = ({ sql, values }: Condition) => ({
      sql: `CREATE TABLE ${table} AS ${sql}`,
      values,
    })
    const sql = `SELECT id FROM ${table} WHERE rowid > ? AND rowid <= ?`
    tables += 1
    try {
      await read(queries.map(toTable), isCancelled)
      for (let place = 0; ; place += idsPerPart) {
        const rows = await read([{ sql, values: [place, place + idsPerPart] }])
        if (rows.length === 0) return
        yield rows
      }
    } finally {
      tables -= 1
      send([{ sql: `DROP TABLE IF EXISTS ${table}`, values: [] }])
    }
  }
  return (...given: Parameters<SqlDialect['read']>) =>
    tables < maxTables ? readIds(...given) : undefined
}
