import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { isDocument, type Document } from '../records/records.ts'
import { madeBefore02, toReason } from '../store-failure.ts'
import { hasItsHash } from './backup-hash.ts'
import { applicationId, contentsTable } from './backup.ts'
import { isDamage } from './database.ts'
import { migrate, readSchemaVersion } from './migrations.ts'

/** Backups of version 0.1 have this id: "Vitr" in ASCII. */
const firstApplicationId = 0x56697472

export type CheckRecord = (resource: string, id: string, document: Document) => void

export async function checkBackup(
  file: string,
  checkRecord: CheckRecord,
  subject = file,
): Promise<void> {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile())
    throw new Error(`${file} does not exist, or is not a file`)
  try {
    const hasHash = await hasItsHash(file)
    if (hasHash === false) throw new Error('it is damaged: its content does not match its hash')
    using database = new DatabaseSync(toUnchangeable(file), { readOnly: true })
    assertOrigin(database)
    if (!hasHash) throw new Error('it is damaged: its end is missing')
    assertSchema(database)
    const finding = readPragma(database, 'integrity_check(1)')
    if (finding !== 'ok') throw new Error(`it is damaged: ${finding.replaceAll('\n', ' ')}`)
    assertSoundRecords(database, checkRecord)
  } catch (error) {
    const reason = isDamage(error) ? 'it is damaged, or its end is missing' : toReason(error)
    throw new Error(`${subject} cannot be restored: ${reason}`, { cause: error })
  }
}

/** SQLite would apply any journal that lies beside the file. */
export function toUnchangeable(file: string): string {
  const url = pathToFileURL(file)
  url.searchParams.set('immutable', '1')
  return url.href
}

function assertOrigin(database: DatabaseSync): void {
  const id = Number(readPragma(database, 'application_id'))
  if (id === firstApplicationId) throw new Error(madeBefore02)
  if (id !== applicationId) throw new Error('it was not made by vitrine backup')
}

function assertSchema(database: DatabaseSync): void {
  if (readSchemaVersion(database) === 0) throw new Error('it has no schema')
  using expected = new DatabaseSync(':memory:')
  migrate(expected)
  expected.exec(contentsTable)
  assertSchemaIn(expected, database)
  // A view or a trigger would run statements of the author of the backup. The fields of data have indexes.
  assertSchemaIn(database, expected, "type <> 'index'")
}

function readPragma(database: DatabaseSync, name: string): string {
  return String(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0])
}

/** Throws for a table, trigger, view or index of `one` that is not in `other`. */
function assertSchemaIn(one: DatabaseSync, other: DatabaseSync, condition = 'true'): void {
  const select = 'SELECT type, name, sql FROM sqlite_schema WHERE'
  const find = other.prepare(`${select} type = ? AND name = ? AND sql IS ?`)
  for (const { type, name, sql } of one.prepare(`${select} ${condition}`).all()) {
    const isThere = find.get(type ?? null, name ?? null, sql ?? null) !== undefined
    if (!isThere) throw new Error(`its ${String(type)} ${String(name)} is not Vitrine's`)
  }
}

function assertSoundRecords(database: DatabaseSync, checkRecord: CheckRecord): void {
  for (const row of database.prepare('SELECT * FROM records').iterate()) {
    try {
      checkRow(row)
      checkRecord(String(row.resource), String(row.id), parseObject(String(row.document)))
    } catch (error) {
      const name = `${String(row.resource)}/${String(row.id)}`.slice(0, 100)
      const reason = `its record ${JSON.stringify(name)} is damaged: ${toReason(error)}`
      throw new Error(reason, { cause: error })
    }
  }
}

function checkRow({ resource, version, ...times }: Readonly<Record<string, unknown>>): void {
  if (!/^~?[\w-]{1,64}$/.test(String(resource)))
    throw new Error('the name of its resource is invalid')
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
