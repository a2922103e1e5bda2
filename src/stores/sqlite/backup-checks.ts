import type { DatabaseSync } from 'node:sqlite'
import { idSchema, isDocument, type Document } from '../records/records.ts'
import { toReason } from '../store-failure.ts'

export type CheckDocument = (resource: string, document: Document) => void

/** A view in place of a table would run statements of the author of the backup. */
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
      checkRow(row)
      checkDocument(String(row.resource), parseObject(String(row.document)))
    } catch (error) {
      const name = `${String(row.resource)}/${String(row.id)}`.slice(0, 100)
      throw new Error(`its record ${JSON.stringify(name)} is damaged: ${toReason(error)}`, {
        cause: error,
      })
    }
  }
}

const validId = new RegExp(idSchema.pattern)

function checkRow({ resource, id, version, ...times }: Readonly<Record<string, unknown>>): void {
  if (!/^~?[\w-]{1,64}$/.test(String(resource)))
    throw new Error('the name of its resource is invalid')
  // Ids of records of files become file names.
  if (!validId.test(String(id))) throw new Error('its id is invalid')
  const isVersion = Number.isInteger(version) && Number(version) <= Number.MAX_SAFE_INTEGER / 2
  if (!isVersion || Number(version) < 1) throw new Error('its version is invalid')
  for (const time of [times.created_at, times.updated_at]) {
    const date = new Date(String(time))
    const isTime = !Number.isNaN(date.getTime()) && date.toISOString() === time
    if (!isTime) throw new Error('one of its times is invalid')
  }
}

function parseObject(text: string): Document {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // Its message would repeat a part of the document.
  }
  if (isDocument(value)) return value
  throw new Error('its document is not a JSON object')
}
