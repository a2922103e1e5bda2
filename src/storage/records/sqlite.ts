import type { DatabaseSync } from 'node:sqlite'
import { nowOrWhenFree, whenFree } from '../sqlite-database.ts'
import type { Records } from './records.ts'
import { createSqliteLists } from './sqlite-lists.ts'
import { rememberRecent } from './sqlite-recent.ts'
import { columns, toStoredRecord } from './sqlite-rows.ts'

/** Records in one table of a SQLite database, which stays the caller's to close. */
export function createSqliteRecords(database: DatabaseSync): Records {
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
  const listByName = database.prepare(
    `SELECT ${columns} FROM records WHERE resource = ? AND document ->> '$.name' = ?
     ORDER BY created_at DESC, id DESC LIMIT ?`,
  )

  const recent = rememberRecent(database, (resource, id) => {
    const row = find.get(resource, id)
    return row && { record: toStoredRecord(row), length: (row.document as string).length }
  })

  return {
    find: (resource, id) => nowOrWhenFree(() => recent.find(resource, id)),
    create: (resource, { id, document, createdAt }) => {
      const text = JSON.stringify(document)
      return whenFree(() => create.run(resource, id, text, createdAt, createdAt).changes === 1)
    },
    change: (resource, { id, version, document, updatedAt }) => {
      const text = JSON.stringify(document)
      return whenFree(() => {
        recent.forget(resource, id)
        return change.run(text, updatedAt, resource, id, version).changes === 1
      })
    },
    remove: (resource, id, version) =>
      whenFree(() => {
        recent.forget(resource, id)
        return remove.run(resource, id, version ?? null).changes === 1
      }),
    listAfter: (resource, after, limit) =>
      whenFree(() =>
        listAfter.all(resource, after?.createdAt ?? '', after?.id ?? '', limit).map(toStoredRecord),
      ),
    listByName: (resource, name, limit) =>
      whenFree(() => listByName.all(resource, name, limit).map(toStoredRecord)),
    ...createSqliteLists(database),
  }
}
