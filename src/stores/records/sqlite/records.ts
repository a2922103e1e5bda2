import type { DatabaseSync } from 'node:sqlite'
import { tryNowOrRetry } from '../../sqlite/database.ts'
import { createLists } from '../lists.ts'
import { createRecords, type Collection, type Records } from '../records.ts'
import { columns, toStoredRecord } from '../rows.ts'
import { createClear } from './clear.ts'
import { createCommits, type Commits } from './commits.ts'
import { createSqliteDialect } from './dialect.ts'
import { createRecordCache } from './record-cache.ts'
import { createStatements } from './statements.ts'

type SqliteRecords = Records & Pick<Commits, 'settle'>

/**
 * Records in a SQLite database, which the caller closes after `settle`; at most `maxRecords` in
 * each collection.
 */
export function createSqliteRecords(database: DatabaseSync, maxRecords?: number): SqliteRecords {
  const { write, settle } = createCommits(database, maxRecords)
  const prepare = createStatements(database)
  const find = prepare(`SELECT ${columns} FROM records WHERE resource = ? AND id = ?`)
  const create = database.prepare(
    `INSERT INTO records (resource, id, document, version, created_at, updated_at)
     VALUES (?, ?, ?, 1, ?, ?) ON CONFLICT DO NOTHING`,
  )
  const change = database.prepare(
    `UPDATE records SET document = ?, version = version + 1, updated_at = ?
     WHERE resource = ? AND id = ? AND version = ?`,
  )
  const remove = database.prepare(
    'DELETE FROM records WHERE resource = ?1 AND id = ?2 AND version = coalesce(?3, version)',
  )

  const recent = createRecordCache(database, (resource, id) => {
    const row = find.get(resource, id)
    return row && { record: toStoredRecord(row), length: String(row[1]).length }
  })

  const clear = createClear(database, recent.forgetAll)
  const dialect = createSqliteDialect(database, prepare)
  const open = (resource: string): Collection => ({
    state: recent.state,
    find: (id) => tryNowOrRetry(() => recent.find(resource, id)),
    create: ({ id, document, createdAt }) => {
      const text = JSON.stringify(document)
      const run = () => {
        recent.forget(resource, id)
        return create.run(resource, id, text, createdAt, createdAt).changes === 1
      }
      const isIdle = () => find.get(resource, id) !== undefined
      return write({ resource, growth: 1, run, isIdle })
    },
    change: ({ id, version, document, updatedAt }) => {
      const text = JSON.stringify(document)
      const run = () => {
        recent.forget(resource, id)
        return change.run(text, updatedAt, resource, id, version).changes === 1
      }
      return write({ resource, growth: 0, run })
    },
    remove: (id, version) => {
      const run = () => {
        recent.forget(resource, id)
        return remove.run(resource, id, version ?? null).changes === 1
      }
      return write({ resource, growth: -1, run })
    },
    clear: () => clear(resource),
    ...createLists(dialect, resource),
  })
  return { ...createRecords(open), settle }
}
