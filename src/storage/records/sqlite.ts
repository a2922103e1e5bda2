import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { Document, Records, StoredRecord } from './records.ts'

const columns = 'id, document, version, created_at, updated_at'

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
  const remove = database.prepare('DELETE FROM records WHERE resource = ? AND id = ?')
  const listAfter = database.prepare(
    `SELECT ${columns} FROM records WHERE resource = ? AND (created_at, id) > (?, ?)
     ORDER BY created_at, id LIMIT ?`,
  )
  const listPage = database.prepare(
    `SELECT ${columns} FROM records WHERE resource = ?
     ORDER BY created_at, id LIMIT ? OFFSET ?`,
  )

  // node:sqlite answers at once; the interface is asynchronous for the backends that cannot.
  return {
    find: async (resource, id) => {
      const row = find.get(resource, id)
      return row && toStoredRecord(row)
    },
    create: async (resource, { id, document, createdAt }) => {
      const text = JSON.stringify(document)
      return create.run(resource, id, text, createdAt, createdAt).changes === 1
    },
    change: async (resource, { id, version, document, updatedAt }) => {
      const text = JSON.stringify(document)
      return change.run(text, updatedAt, resource, id, version).changes === 1
    },
    remove: async (resource, id) => remove.run(resource, id).changes === 1,
    listAfter: async (resource, after, limit) =>
      listAfter.all(resource, after?.createdAt ?? '', after?.id ?? '', limit).map(toStoredRecord),
    listPage: async (resource, offset, limit) =>
      listPage.all(resource, limit, offset).map(toStoredRecord),
  }
}

function toStoredRecord(row: Record<string, SQLOutputValue>): StoredRecord {
  return {
    id: row.id as string,
    document: JSON.parse(row.document as string) as Document,
    version: row.version as number,
    createdAt: row.created_at as string,
    updatedAt: row.updated_at as string,
  }
}
