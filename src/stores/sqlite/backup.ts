import { collectionNames } from '../collection-names.ts'
import { createHash } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { appendHash } from './backup-hash.ts'
import { fileMode } from '../file-modes.ts'
import type { Files } from '../files/files.ts'

/** Marks a SQLite file as a backup of ours, with its hash behind it: "Vit1" in ASCII. */
export const applicationId = 0x56697431

export const contentsTable = `CREATE TABLE contents (
       id TEXT NOT NULL, place INTEGER NOT NULL, piece BLOB NOT NULL, PRIMARY KEY (id, place)
     ) STRICT`

export interface Sums {
  records: number
  files: number
  /** Of all files together. */
  bytes: number
}

export interface BackupOptions {
  /** Of the database that is saved. */
  path: string
  /** Where the backup will be; nothing may be there yet. */
  file: string
  files: Files
  /** Aborted when nobody wants the backup any more. */
  signal: AbortSignal
}

/** The most that a file of SQLite may have, and more (https://sqlite.org/limits.html). */
const allPages = 2 ** 31 - 1

/** What is known of an upload by its record. */
export interface KnownFile {
  id: string
  size: number
  sha256: string
}

/**
 * Saves database and files as one file, while others go on writing. What cannot be had whole of an
 * upload that is still there is in `lost`, by its id. Throws an Error that says why there is no backup;
 * then nothing of it is left.
 */
export async function writeBackup(options: BackupOptions): Promise<Sums & { lost: string[] }> {
  const { path, file } = options
  const partial = `${file}.part`
  if (existsSync(file)) throw new Error(`${file} is there already`)
  if (!existsSync(path)) throw new Error(`there is no database ${path}`)
  // Not read-only, though nothing is written: such a connection leaves files behind where it is the last.
  const source = new DatabaseSync(path, { timeout: 5000 })
  try {
    createFile(partial)
    try {
      const sums = await write(source, partial, options)
      await appendHash(partial)
      synchronize(partial)
      renameSync(partial, file)
      // Windows opens no folders.
      if (process.platform !== 'win32') synchronize(dirname(file))
      return sums
    } catch (error) {
      for (const suffix of ['', '-journal', '-wal', '-shm'])
        rmSync(partial + suffix, { force: true })
      throw error
    }
  } finally {
    source.close()
  }
}

/** For nobody else to read: there are hashes of passwords in it. */
function createFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', fileMode))
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    if (!isThere) throw error
    throw new Error(`${path} is there: of a backup that is being made, or to be removed`, {
      cause: error,
    })
  }
}

async function write(source: DatabaseSync, partial: string, options: BackupOptions) {
  // All in one step: after each one SQLite would begin anew whenever somebody has written. Writers do
  // not wait for it, since what they write goes into the log.
  await backup(source, partial, { rate: allPages })
  options.signal.throwIfAborted()
  const target = new DatabaseSync(partial)
  try {
    // Without a log beside it, so that it can be read from where nothing can be written.
    target.exec('PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF')
    target.exec(`PRAGMA application_id = ${String(applicationId)}`)
    target.exec('BEGIN')
    const lost = await addContents(source, target, options)
    target.exec('COMMIT')
    return { ...sumUp(target), lost }
  } finally {
    target.close()
  }
}

/** The contents in pieces: one value in SQLite may hold no more than a billion bytes. */
async function addContents(source: DatabaseSync, target: DatabaseSync, options: BackupOptions) {
  target.exec(contentsTable)
  const addPiece = target.prepare('INSERT INTO contents VALUES (?, ?, ?)')
  const forgetContent = target.prepare('DELETE FROM contents WHERE id = ?')
  const forgetRecord = target.prepare(
    `DELETE FROM records WHERE resource = '${collectionNames.uploads}' AND id = ?`,
  )
  const isThere = source.prepare(
    `SELECT 1 FROM records WHERE resource = '${collectionNames.uploads}' AND id = ?`,
  )
  const lost: string[] = []
  for (const known of eachKnownFile(target)) {
    const { id } = known
    const add = (place: number, piece: Buffer) => {
      options.signal.throwIfAborted()
      addPiece.run(id, place, piece)
    }
    if (await addContent(options.files, known, add)) continue
    if (isThere.get(id)) lost.push(id)
    forgetContent.run(id)
    forgetRecord.run(id)
  }
  return lost
}

/** False when it is not there as its record has it. */
async function addContent(
  files: Files,
  { id, size, sha256 }: KnownFile,
  add: (place: number, piece: Buffer) => void,
): Promise<boolean> {
  if (size === 0) return true
  const read = () => files.read(id, 0, size - 1)
  // A file may still be pending although its record is there, during an upload or after a crash.
  const content = (await read()) ?? (await files.keep(id).then(read, () => undefined))
  const hash = createHash('sha256')
  let place = 0
  let length = 0
  for await (const piece of content ?? []) {
    hash.update(piece as Buffer)
    add(place, piece as Buffer)
    place += 1
    length += (piece as Buffer).length
  }
  return length === size && hash.digest('hex') === sha256
}

/** The uploads of a database, in the order of their ids, a few at a time. */
export function* eachKnownFile(database: DatabaseSync, schema = 'main'): Generator<KnownFile> {
  const listAfter = database.prepare(
    `SELECT id, document ->> '$.size' AS size, document ->> '$.sha256' AS sha256
     FROM ${schema}.records WHERE resource = '${collectionNames.uploads}' AND id > ? ORDER BY id LIMIT 100`,
  )
  let page: unknown[] = listAfter.all('')
  while (page.length > 0) {
    yield* page as KnownFile[]
    page = listAfter.all((page.at(-1) as KnownFile).id)
  }
}

/** What a database of ours holds, without what it keeps for itself. */
export function sumUp(database: DatabaseSync): Sums {
  const row = database
    .prepare(
      `SELECT count(*) FILTER (WHERE resource <> '${collectionNames.uploads}') AS records,
         count(*) FILTER (WHERE resource = '${collectionNames.uploads}') AS files,
         coalesce(sum(document ->> '$.size') FILTER (WHERE resource = '${collectionNames.uploads}'), 0) AS bytes
       FROM records WHERE resource NOT LIKE '~%'`,
    )
    .get()
  return { ...row } as unknown as Sums
}

function synchronize(path: string): void {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}
