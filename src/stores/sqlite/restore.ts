import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { Readable } from 'node:stream'
import { collectionNames } from '../collection-names.ts'
import type { Files } from '../files/files.ts'
import { removeOrphanedFiles } from '../orphaned-files.ts'
import { createSqliteRecords } from '../records/sqlite/records.ts'
import { failToOpen } from '../store-failure.ts'
import { checkBackup, toUnchangeable, type CheckRecord } from './backup-checks.ts'
import { eachFile, hasContentOf, toFileCondition, toTotals } from './backup.ts'
import type { BackupOptions, KnownFile } from './backup.ts'
import { isBusy, makeFile, runInTransaction } from './database.ts'
import { migrate, readSchemaVersion } from './migrations.ts'

type RestoreOptions = Omit<BackupOptions, 'signal' | 'check'> & { checkRecord: CheckRecord }

/** If interrupted, no upload lacks its content; the next start removes the other files. */
export async function restoreBackup(options: RestoreOptions) {
  const { path, file, files, fileCollections, checkRecord } = options
  await checkBackup(file, checkRecord)
  using database = openAlone(path)
  database.prepare('ATTACH ? AS saved').run(toUnchangeable(file))
  const pending = await saveContents(database, options)
  replaceRecords(database, toFileCondition(options))
  for (const id of pending) await files.keep(id)
  const records = createSqliteRecords(database)
  await removeOrphanedFiles(files, records, fileCollections)
  await records.settle()
  return toTotals(database, options)
}

type Fill = (rows: Iterable<Row>, prepare: () => Promise<void>) => Promise<void>
type Row = Readonly<Record<string, SQLOutputValue>>

/** Into an empty database of another kind. */
export async function moveBackup(options: Omit<RestoreOptions, 'path'>, fill: Fill) {
  await checkBackup(options.file, options.checkRecord)
  using database = new DatabaseSync(':memory:')
  database.prepare('ATTACH ? AS saved').run(toUnchangeable(options.file))
  let pending: string[] = []
  await fill(database.prepare('SELECT * FROM saved.records').iterate(), async () => {
    pending = await saveContents(database, options)
  })
  for (const id of pending) await options.files.keep(id)
  return toTotals(database, options)
}

/** Throws if another process has opened the database. */
export function openAlone(path: string): DatabaseSync {
  makeFile(path)
  const database = new DatabaseSync(path, { timeout: 1000 })
  try {
    // Every connection to a database with a log holds a lock, and this mode is exclusive.
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

/** Whether another process has opened the database. */
export function isInUse(path: string): boolean {
  try {
    openAlone(path).close()
    return false
  } catch (error) {
    return error instanceof Error && isBusy(error.cause)
  }
}

/** Saves missing contents as pending: a sweep would remove files without records. */
async function saveContents(
  database: DatabaseSync,
  options: Omit<RestoreOptions, 'path'>,
): Promise<string[]> {
  const { files } = options
  const pieces = database.prepare('SELECT piece FROM saved.contents WHERE id = ? ORDER BY place')
  function* readContent(id: string): Generator<Buffer> {
    for (const { piece } of pieces.iterate(id)) {
      if (piece instanceof Uint8Array) yield Buffer.from(piece)
    }
  }
  // Before any file is removed.
  for (const known of eachFile(database, options, 'saved')) {
    if (!(await hasContentOf(known, readContent(known.id))))
      throw new Error(
        `the backup is damaged: the content of file ${known.id} does not have its size and hash`,
      )
  }
  const pending: string[] = []
  try {
    for (const known of eachFile(database, options, 'saved')) {
      const { id } = known
      if (await isKept(files, known).catch(() => false)) continue
      await files.remove(id)
      pending.push(id)
      await files.save(id, Readable.from(readContent(id), { objectMode: false }))
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

function replaceRecords(database: DatabaseSync, isOfFile: string): void {
  runInTransaction(database, () => {
    migrate(database)
    const gone = database.prepare(
      `SELECT id FROM main.records WHERE ${isOfFile} OR resource = '${collectionNames.orphanedFiles}'
       EXCEPT SELECT id FROM saved.records WHERE ${isOfFile}`,
    )
    const goneIds = gone.all().map(({ id }) => String(id))
    database.exec('DELETE FROM main.records; INSERT INTO main.records SELECT * FROM saved.records')
    const addOrphan = database.prepare(
      `INSERT OR IGNORE INTO records VALUES ('${collectionNames.orphanedFiles}', ?1, '{}', 1, ?2, ?2)`,
    )
    const now = new Date().toISOString()
    for (const id of goneIds) addOrphan.run(id, now)
    database.exec(
      `DELETE FROM main.record_counts;
       INSERT INTO main.record_counts SELECT resource, count(*) FROM main.records GROUP BY resource;
       UPDATE main.change_numbers SET last = last + 1`,
    )
  })
}
