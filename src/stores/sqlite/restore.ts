import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { assertSameSchema, assertSoundRecords, type CheckDocument } from './backup-checks.ts'
import { collectionNames } from '../collection-names.ts'
import { hasItsHash } from './backup-hash.ts'
import type { Files } from '../files/files.ts'
import { removeOrphanedFiles } from '../orphaned-files.ts'
import { createSqliteRecords } from '../records/sqlite/records.ts'
import {
  applicationId,
  contentsTable,
  eachKnownFile,
  hasContentOf,
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

export interface RestoreOptions {
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
  const database = openAlone(path)
  try {
    database.prepare('ATTACH ? AS saved').run(toUnchangeable(file))
    const pending = await saveContents(database, files)
    replaceRecords(database)
    for (const id of pending) await files.keep(id)
    const records = createSqliteRecords(database)
    await removeOrphanedFiles(files, records)
    await records.settle()
    return { ...sumUp(database), hasHash }
  } finally {
    database.close()
  }
}

async function checkBackup(file: string, checkDocument: CheckDocument): Promise<boolean> {
  const isFile = statSync(file, { throwIfNoEntry: false })?.isFile() ?? false
  if (!isFile) throw new Error(`there is no file ${file}`)
  try {
    const hasHash = await hasItsHash(file)
    if (hasHash === false) throw new Error('it is damaged: its hash is that of another content')
    const database = new DatabaseSync(toUnchangeable(file), { readOnly: true })
    try {
      checkDatabase(database, { hasHash, checkDocument })
    } finally {
      database.close()
    }
    return hasHash ?? false
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${file} is no backup that can be restored: ${reason}`, { cause: error })
  }
}

/** A journal beside the file would be applied, whoever has written it. */
function toUnchangeable(file: string): string {
  const url = pathToFileURL(file)
  url.searchParams.set('immutable', '1')
  return url.href
}

function checkDatabase(
  database: DatabaseSync,
  { hasHash, checkDocument }: { hasHash: boolean | undefined; checkDocument: CheckDocument },
): void {
  const ask = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]
  const id = ask('application_id')
  if (id !== applicationId && id !== firstApplicationId) {
    throw new Error('it was not made by vitrine backup')
  }
  if (id === applicationId && !hasHash) throw new Error('it is damaged: its end is missing')
  const version = readSchemaVersion(database)
  if (version < 1) throw new Error(`it has no schema ${String(version)}`)
  const expected = openEmpty(version)
  try {
    expected.exec(contentsTable)
    assertSameSchema(database, expected)
  } finally {
    expected.close()
  }
  const finding = ask('integrity_check(1)')
  if (finding !== 'ok') throw new Error(`it is damaged: ${String(finding).replaceAll('\n', ' ')}`)
  assertSoundRecords(database, checkDocument)
}

/** No other process can open the database meanwhile; throws when one has. */
function openAlone(path: string): DatabaseSync {
  makeFile(path)
  const database = new DatabaseSync(path, { timeout: 1000 })
  try {
    // Every connection to a database with a log holds a lock, and this mode is exclusive
    // (https://sqlite.org/pragma.html#pragma_locking_mode).
    database.exec('PRAGMA main.locking_mode = EXCLUSIVE')
    database.exec('PRAGMA journal_mode = WAL')
    database.exec('BEGIN EXCLUSIVE; COMMIT')
    readSchemaVersion(database)
    return database
  } catch (error) {
    database.close()
    const reason = error instanceof Error ? error.message : String(error)
    const problem = isBusy(error)
      ? `${path} is in use: stop the service first`
      : `${path} cannot be opened: ${reason}`
    throw new Error(problem, { cause: error })
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
      if (await isKept(files, known)) continue
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
  try {
    const content = await files.read(known.id, 0, known.size - 1)
    return content !== undefined && (await hasContentOf(known, content))
  } catch {
    // A file that cannot be read is written again.
    return false
  }
}

function replaceRecords(database: DatabaseSync): void {
  const version = Number(database.prepare('PRAGMA saved.user_version').get()?.user_version)
  runInTransaction(database, () => {
    recordOrphanedFiles(database)
    for (const table of findTables(readSchemaVersion(database))) {
      database.exec(`DROP TABLE main.${table}`)
    }
    applyMigrations(database, 0, version)
    for (const table of findTables(version)) {
      // A trigger of that version may have counted already.
      database.exec(`INSERT OR REPLACE INTO main.${table} SELECT * FROM saved.${table}`)
    }
    applyMigrations(database, version)
    const now = new Date().toISOString()
    database
      .prepare(
        `INSERT OR IGNORE INTO records SELECT '${collectionNames.orphanedFiles}', id, '{}', 1, ?1, ?1 FROM gone`,
      )
      .run(now)
    database.exec(
      `DELETE FROM record_counts;
       INSERT INTO record_counts SELECT resource, count(*) FROM records GROUP BY resource`,
    )
  })
}

function recordOrphanedFiles(database: DatabaseSync): void {
  database.exec('CREATE TEMP TABLE gone (id TEXT PRIMARY KEY)')
  if (readSchemaVersion(database) === 0) return
  const { uploads, orphanedFiles } = collectionNames
  database.exec(
    `INSERT OR IGNORE INTO gone
     SELECT id FROM main.records WHERE resource IN ('${uploads}', '${orphanedFiles}')
     EXCEPT SELECT id FROM saved.records WHERE resource = '${uploads}'`,
  )
}

/** Other tables in the database belong to other programs. */
function findTables(version: number): string[] {
  const empty = openEmpty(version)
  const tables = empty.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all()
  empty.close()
  return tables.map(({ name }) => String(name))
}

function openEmpty(version: number): DatabaseSync {
  const empty = new DatabaseSync(':memory:')
  applyMigrations(empty, 0, version)
  return empty
}
