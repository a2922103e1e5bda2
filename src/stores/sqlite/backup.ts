import { collectionNames } from '../collection-names.ts'
import { createHash } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { appendHash } from './backup-hash.ts'
import { fileMode } from '../file-modes.ts'
import type { Files } from '../files/files.ts'

/** `application_id` of a backup with a hash: "Vit1" in ASCII. */
export const applicationId = 0x56697431

export const contentsTable = `CREATE TABLE contents (
       id TEXT NOT NULL, place INTEGER NOT NULL, piece BLOB NOT NULL, PRIMARY KEY (id, place)
     ) STRICT`

export interface Sums {
  records: number
  files: number
  bytes: number
}

export interface BackupOptions {
  path: string
  file: string
  files: Files
  signal: AbortSignal
}

/** More than a SQLite file can have (https://sqlite.org/limits.html). */
const allPages = 2 ** 31 - 1

export interface KnownFile {
  id: string
  size: number
  sha256: string
}

/**
 * Saves database and files as one file while the service runs. `lost` has the ids of uploads whose
 * content is missing or damaged. Throws an Error with the reason; then no file is left.
 */
export async function writeBackup(options: BackupOptions): Promise<Sums & { lost: string[] }> {
  const { path, file } = options
  const partial = `${file}.part`
  if (existsSync(file)) throw new Error(`${file} is there already`)
  if (!existsSync(path)) throw new Error(`there is no database ${path}`)
  // Not read-only: such a connection leaves files behind when it is the last one.
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
  // One step: SQLite starts again after each step if another process has written. Writers do not
  // wait, since they write to the log.
  await backup(source, partial, { rate: allPages })
  options.signal.throwIfAborted()
  const target = new DatabaseSync(partial)
  try {
    // Without a log, so that the backup can be read from a read-only folder.
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

/** In pieces: a SQLite value has at most a billion bytes. */
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

/** False when the content differs from its record. */
async function addContent(
  files: Files,
  known: KnownFile,
  add: (place: number, piece: Buffer) => void,
): Promise<boolean> {
  const { id, size } = known
  if (size === 0) return true
  if (!Number.isSafeInteger(size) || size < 0) return false
  const read = () => files.read(id, 0, size - 1)
  // A file may still be pending although its record exists, during an upload or after a crash.
  const content = (await read()) ?? (await files.keep(id).then(read, () => undefined))
  return hasContentOf(known, content ?? [], add)
}

/** Whether size and hash of the content are those of the record. */
export async function hasContentOf(
  { size, sha256 }: KnownFile,
  content: AsyncIterable<Buffer> | Iterable<Buffer>,
  add: (place: number, piece: Buffer) => void = () => undefined,
): Promise<boolean> {
  const hash = createHash('sha256')
  let place = 0
  let length = 0
  for await (const piece of content) {
    hash.update(piece)
    add(place, piece)
    place += 1
    length += piece.length
  }
  return length === size && hash.digest('hex') === sha256
}

export function* eachKnownFile(database: DatabaseSync, schema = 'main'): Generator<KnownFile> {
  const listAfter = database.prepare(
    `SELECT id, document ->> '$.size' AS size, document ->> '$.sha256' AS sha256
     FROM ${schema}.records WHERE resource = '${collectionNames.uploads}' AND id > ? ORDER BY id LIMIT 100`,
  )
  for (let last = ''; ;) {
    const rows = listAfter.all(last)
    if (rows.length === 0) return
    for (const { id, size, sha256 } of rows) {
      last = String(id)
      yield { id: last, size: Number(size ?? NaN), sha256: String(sha256) }
    }
  }
}

export function sumUp(database: DatabaseSync): Sums {
  const row = database
    .prepare(
      `SELECT count(*) FILTER (WHERE resource <> '${collectionNames.uploads}') AS records,
         count(*) FILTER (WHERE resource = '${collectionNames.uploads}') AS files,
         coalesce(sum(document ->> '$.size') FILTER (WHERE resource = '${collectionNames.uploads}'), 0) AS bytes
       FROM records WHERE resource NOT LIKE '~%'`,
    )
    .get()
  return {
    records: Number(row?.records),
    files: Number(row?.files),
    bytes: Number(row?.bytes),
  }
}

function synchronize(path: string): void {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}
