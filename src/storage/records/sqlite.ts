import type { DatabaseSync } from 'node:sqlite'
import { nowOrWhenFree, whenFree } from '../sqlite-database.ts'
import type { Records } from './records.ts'
import { createClear } from './sqlite-clear.ts'
import { createCommits, type Commits } from './sqlite-commits.ts'
import { inResource, toColumn } from './sqlite-conditions.ts'
import { createSqliteLists } from './sqlite-lists.ts'
import { rememberRecent } from './sqlite-recent.ts'
import { columns, fromList, toStoredRecord } from './sqlite-rows.ts'
import { createStatements } from './sqlite-statements.ts'

/** What a database keeps; `settle` resolves when every write that was asked for has ended. */
type SqliteRecords = Records & Pick<Commits, 'settle'>

/**
 * Records in one table of a SQLite database, which stays the caller's to close; of each resource
 * `maxRecords` at most.
 */
export function createSqliteRecords(database: DatabaseSync, maxRecords?: number): SqliteRecords {
  const { write, settle } = createCommits(database, maxRecords)
  const find = database.prepare(`SELECT ${columns} FROM records WHERE resource = ? AND id = ?`)
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
  const listAfter = database.prepare(
    `SELECT ${columns} FROM records WHERE resource = ? AND (created_at, id) > (?, ?)
     ORDER BY created_at, id LIMIT ?`,
  )
  const prepare = createStatements(database)

  const recent = rememberRecent(database, (resource, id) => {
    const row = find.get(resource, id)
    return row && { record: toStoredRecord(row), length: (row.document as string).length }
  })

  return {
    state: recent.state,
    find: (resource, id) => nowOrWhenFree(() => recent.find(resource, id)),
    create: (resource, { id, document, createdAt }) => {
      const text = JSON.stringify(document)
      const run = () => {
        recent.forget(resource, id)
        return create.run(resource, id, text, createdAt, createdAt).changes === 1
      }
      const isIdle = () => find.get(resource, id) !== undefined
      return write({ resource, growth: 1, run, isIdle })
    },
    change: (resource, { id, version, document, updatedAt }) => {
      const text = JSON.stringify(document)
      const run = () => {
        recent.forget(resource, id)
        return change.run(text, updatedAt, resource, id, version).changes === 1
      }
      return write({ resource, growth: 0, run })
    },
    remove: (resource, id, version) => {
      const run = () => {
        recent.forget(resource, id)
        return remove.run(resource, id, version ?? null).changes === 1
      }
      return write({ resource, growth: -1, run })
    },
    clear: createClear(database, recent.forgetAll),
    settle,
    listAfter: (resource, after, limit) =>
      whenFree(() =>
        listAfter.all(resource, after?.createdAt ?? '', after?.id ?? '', limit).map(toStoredRecord),
      ),
    // Fast where the resource has an index on the name.
    listByName: (resource, name, limit) =>
      whenFree(() => {
        const listByName = prepare(
          `SELECT ${columns} FROM records WHERE ${inResource(resource).sql}
           AND ${toColumn('name')} = ? ORDER BY created_at DESC, id DESC LIMIT ?`,
        )
        return listByName.all(name, limit).map(fromList)
      }),
    ...createSqliteLists(database, prepare),
  }
}
