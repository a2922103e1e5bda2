import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { collectionNames } from '../collection-names.ts'
import type { Files } from '../files/files.ts'
import { removeOrphanedFiles } from '../orphaned-files.ts'
import { createSqliteRecords } from '../records/sqlite/records.ts'
import { failToOpen, toReason } from '../store-failure.ts'
import { assertSameSchema, assertSoundRecords, type CheckDocument } from './backup-checks.ts'
import { hasItsHash } from './backup-hash.ts'
import {
  applicationId,
  contentsTable,
  eachKnownFile,
  hasContentOf,
  isUpload,
  sumUp,
  type KnownFile,
  type Sums,
} from './backup.ts'
import {
  applyMigrations,
  isBusy,
  makeFile,
  readSchemaVersion,
  runInTransaction,
} from './database.ts'

/** Of backups of version 0.1.0, without a hash: "Vitr" in ASCII. */
const firstApplicationId = 0x56697472

interface RestoreOptions {
  path: string
  file: string
  files: Files
  checkDocument: CheckDocument
}

/**
 * Replaces database and files by those of the backup. If it is interrupted, the database is as
 * before or as in the backup, every upload has its content, and the next start removes the
 * remaining files. Throws an Error with the reason why nothing was changed. `hasHash` is false for
 * a backup of version 0.1.0.
 */
export async function restoreBackup({
  path,
  file,
  files,
  checkDocument,
}: RestoreOptions): Promise<Sums & { hasHash: boolean }> {
  const hasHash = await checkBackup(file, checkDocument)
  using database = openAlone(path)
  database.prepare('ATTACH ? AS saved').run(toUnchangeable(file))
  const pending = await saveContents(database, files)
  replaceRecords(database)
  for (const id of pending) await files.keep(id)
  const records = createSqliteRecords(database)
  await removeOrphanedFiles(files, records)
  await records.settle()
  return { ...sumUp(database), hasHash }
}

async function checkBackup(file: string, checkDocument: CheckDocument): Promise<boolean> {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile())
    throw new Error(`there is no file ${file}`)
  try {
    const hasHash = await hasItsHash(file)
    if (hasHash === false) throw new Error('it is damaged: its hash is that of another content')
    using database = new DatabaseSync(toUnchangeable(file), { readOnly: true })
    checkOrigin(database, hasHash ?? false)
    const finding = readPragma(database, 'integrity_check(1)')
    if (finding !== 'ok') throw new Error(`it is damaged: ${finding.replaceAll('\n', ' ')}`)
    assertSoundRecords(database, checkDocument)
    return hasHash ?? false
  } catch (error) {
    throw new Error(`${file} is no backup that can be restored: ${toReason(error)}`, {
      cause: error,
    })
  }
}

/** A journal beside the file would be applied, whoever has written it. */
function toUnchangeable(file: string): string {
  const url = pathToFileURL(file)
  url.searchParams.set('immutable', '1')
  return url.href
}

function checkOrigin(database: DatabaseSync, hasHash: boolean): void {
  const id = Number(readPragma(database, 'application_id'))
  if (id !== applicationId && id !== firstApplicationId) {
    throw new Error('it was not made by vitrine backup')
  }
  if (id === applicationId && !hasHash) throw new Error('it is damaged: its end is missing')
  const version = readSchemaVersion(database)
  if (version < 1) throw new Error(`it has no schema ${String(version)}`)
  using expected = openEmpty(version)
  expected.exec(contentsTable)
  assertSameSchema(database, expected)
}

function readPragma(database: DatabaseSync, name: string): string {
  return String(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0])
}

/** No other process can open the database meanwhile; throws when one has. */
function openAlone(path: string): DatabaseSync {
  makeFile(path)
  const database = new DatabaseSync(path, { timeout: 1000 })
  try {
    // Every connection to a database with a log holds a lock, and this mode is exclusive
    // (https://sqlite.org/pragma.html#pragma_locking_mode).
    database.exec('PRAGMA main.locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL')
    database.exec('BEGIN EXCLUSIVE; COMMIT')
    readSchemaVersion(database)
    return database
  } catch (error) {
    database.close()
    if (!isBusy(error)) failToOpen(path, error)
    throw new Error(`${path} is in use: stop the service first`, { cause: error })
  }
}

/** Saves missing contents as pending: a sweep would remove files without records. */
async function saveContents(database: DatabaseSync, files: Files): Promise<string[]> {
  const readPiece = database.prepare('SELECT piece FROM saved.contents WHERE id = ? AND place = ?')
  function* readContent(id: string): Generator<Buffer> {
    for (let place = 0; ; place += 1) {
      const row = readPiece.get(id, place)
      if (!(row?.piece instanceof Uint8Array)) return
      yield Buffer.from(row.piece)
    }
  }
  const pending: string[] = []
  try {
    for (const known of eachKnownFile(database, 'saved')) {
      const { id } = known
      // A file that cannot be read is written again.
      if (await isKept(files, known).catch(() => false)) continue
      await files.remove(id)
      pending.push(id)
      const saved = await files.save(id, Readable.from(readContent(id), { objectMode: false }))
      if (saved.sha256 !== known.sha256 || saved.size !== known.size)
        throw new Error(`the backup is damaged: upload ${id} is not whole`)
    }
    return pending
  } catch (error) {
    for (const id of pending) await files.remove(id)
    throw error
  }
}

async function isKept(files: Files, known: KnownFile): Promise<boolean> {
  const content = await files.read(known.id, 0, known.size - 1)
  return content !== undefined && (await hasContentOf(known, content))
}

function replaceRecords(database: DatabaseSync): void {
  const version = Number(database.prepare('PRAGMA saved.user_version').get()?.user_version)
  runInTransaction(database, () => {
    const goneIds = findGoneIds(database)
    for (const table of findTables(readSchemaVersion(database))) {
      database.exec(`DROP TABLE main.${table}`)
    }
    applyMigrations(database, 0, version)
    for (const table of findTables(version)) {
      // A trigger of that version may have counted already.
      database.exec(`INSERT OR REPLACE INTO main.${table} SELECT * FROM saved.${table}`)
    }
    applyMigrations(database, version)
    const addOrphan = database.prepare(
      `INSERT OR IGNORE INTO records VALUES ('${collectionNames.orphanedFiles}', ?1, '{}', 1, ?2, ?2)`,
    )
    const now = new Date().toISOString()
    for (const id of goneIds) addOrphan.run(id, now)
    database.exec(
      `DELETE FROM record_counts;
       INSERT INTO record_counts SELECT resource, count(*) FROM records GROUP BY resource`,
    )
  })
}

/** Of files whose upload is not in the backup. */
function findGoneIds(database: DatabaseSync): string[] {
  if (readSchemaVersion(database) === 0) return []
  const rows = database.prepare(
    `SELECT id FROM main.records WHERE ${isUpload} OR resource = '${collectionNames.orphanedFiles}'
     EXCEPT SELECT id FROM saved.records WHERE ${isUpload}`,
  )
  return rows.all().map(({ id }) => String(id))
}

/** Other tables in the database belong to other programs. */
function findTables(version: number): string[] {
  using empty = openEmpty(version)
  const tables = empty.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all()
  return tables.map(({ name }) => String(name))
}

function openEmpty(version: number): DatabaseSync {
  const empty = new DatabaseSync(':memory:')
  applyMigrations(empty, 0, version)
  return empty
}
