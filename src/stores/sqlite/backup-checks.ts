import type { DatabaseSync } from 'node:sqlite'
import type { Document } from '../records/records.ts'

/** Throws an Error with the reason why the document cannot belong to the resource. */
export type CheckDocument = (resource: string, document: Document) => void

/**
 * Throws unless `database` has the tables and indexes of `expected` with the same SQL: a view in
 * place of a table would run statements of the author of the backup.
 */
export function assertSameSchema(database: DatabaseSync, expected: DatabaseSync): void {
  const find = database.prepare(
    'SELECT 1 FROM sqlite_schema WHERE type = ? AND name = ? AND sql IS ?',
  )
  for (const { type, name, sql } of expected.prepare('SELECT * FROM sqlite_schema').all()) {
    const isThere = find.get(type ?? null, name ?? null, sql ?? null) !== undefined
    if (!isThere) throw new Error(`its ${String(type)} ${String(name)} is not Vitrine's`)
  }
}

export function assertSoundRecords(database: DatabaseSync, checkDocument: CheckDocument): void {
  for (const row of database.prepare('SELECT * FROM records').iterate()) {
    try {
      checkRow(row, checkDocument)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      const name = `${String(row.resource)}/${String(row.id)}`.slice(0, 100)
      throw new Error(`its record ${JSON.stringify(name)} is damaged: ${reason}`, { cause: error })
    }
  }
}

function checkRow(row: Readonly<Record<string, unknown>>, checkDocument: CheckDocument): void {
  const { resource, id, version, document } = row
  if (!/^~?[\w-]{1,64}$/.test(String(resource))) throw new Error('its resource has no such name')
  // Ids of uploads become file names.
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(String(id))) throw new Error('it has an id that none can have')
  const isVersion = Number.isInteger(version) && Number(version) >= 1
  // Each change adds one.
  if (!isVersion || Number(version) > Number.MAX_SAFE_INTEGER / 2)
    throw new Error('it has a bad version')
  for (const time of [row.created_at, row.updated_at]) {
    const date = new Date(String(time))
    const isTime = !Number.isNaN(date.getTime()) && date.toISOString() === time
    if (!isTime) throw new Error('it has a bad time')
  }
  checkDocument(String(resource), parseObject(String(document)))
}

function parseObject(text: string): Document {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // Its message would repeat a part of the document.
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Document
  throw new Error('it is no object in JSON')
}
