import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { StoreFailure } from '../failure.ts'
import { whenFree } from '../sqlite-database.ts'
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
  const listByName = database.prepare(
    `SELECT ${columns} FROM records WHERE resource = ? AND document ->> '$.name' = ?
     ORDER BY created_at DESC, id DESC LIMIT ?`,
  )
  const listPage = database.prepare(
    `SELECT ${columns} FROM records WHERE resource = ?
     ORDER BY created_at, id LIMIT ? OFFSET ?`,
  )

  return {
    find: (resource, id) =>
      whenFree(() => {
        const row = find.get(resource, id)
        return row && toStoredRecord(row)
      }),
    create: (resource, { id, document, createdAt }) => {
      const text = JSON.stringify(document)
      return whenFree(() => create.run(resource, id, text, createdAt, createdAt).changes === 1)
    },
    change: (resource, { id, version, document, updatedAt }) => {
      const text = JSON.stringify(document)
      return whenFree(() => change.run(text, updatedAt, resource, id, version).changes === 1)
    },
    remove: (resource, id) => whenFree(() => remove.run(resource, id).changes === 1),
    listAfter: (resource, after, limit) =>
      whenFree(() =>
        listAfter.all(resource, after?.createdAt ?? '', after?.id ?? '', limit).map(toStoredRecord),
      ),
    listByName: (resource, name, limit) =>
      whenFree(() => listByName.all(resource, name, limit).map(toStoredRecord)),
    listPage: (resource, offset, limit) =>
      whenFree(() => listPage.all(resource, limit, offset).map(toStoredRecord)),
  }
}

function parseDocument(text: string): Document {
  try {
    return JSON.parse(text) as Document
  } catch (error) {
    // Only JSON was ever written: the file is damaged.
    throw new StoreFailure('unavailable', error)
  }
}

function toStoredRecord(row: Record<string, SQLOutputValue>): StoredRecord {
  return {
    id: row.id as string,
    document: parseDocument(row.document as string),
    version: row.version as number,
    createdAt: row.created_at as string,
    updatedAt: row.updated_at as string,
  }
}
