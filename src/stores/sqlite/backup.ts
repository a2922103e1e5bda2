import { createHash } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { collectionNames, toKind } from '../collection-names.ts'
import { fileMode } from '../file-modes.ts'
import type { Files, SavedFile } from '../files/files.ts'
import { appendHash } from './backup-hash.ts'

/** `application_id` of a backup with a hash: "Vit1" in ASCII. */
export const applicationId = 0x56697431

export const contentsTable = `CREATE TABLE contents (
       id TEXT NOT NULL, place INTEGER NOT NULL, piece BLOB NOT NULL, PRIMARY KEY (id, place)
     ) STRICT`

export function toFileCondition({ fileCollections }: FileCollections): string {
  return `resource IN (${fileCollections.map((name) => `'${name}'`).join(', ')})`
}

const allPages = 2 ** 31 - 1

export interface BackupOptions {
  path: string
  file: string
  files: Files
  fileCollections: readonly string[]
  signal: AbortSignal
  /** Rejects for a file that cannot be restored. */
  check: (file: string) => Promise<void>
}

type FileCollections = Pick<BackupOptions, 'fileCollections'>

export type KnownFile = SavedFile & { id: string }

export async function writeBackup(options: BackupOptions) {
  const { path, file } = options
  const partial = `${file}.part`
  if (existsSync(file)) throw new Error(`${file} already exists`)
  if (!existsSync(path)) throw new Error(`the database ${path} does not exist`)
  if (existsSync(partial))
    throw new Error(`${partial} exists: remove it, unless another backup is running`)
  // Not read-only: such a connection leaves files behind when it is the last one.
  using source = new DatabaseSync(path, { timeout: 5000 })
  closeSync(openSync(partial, 'wx', fileMode))
  try {
    const totals = await write(source, partial, options)
    await appendHash(partial)
    await options.check(partial)
    synchronize(partial)
    renameSync(partial, file)
    if (process.platform !== 'win32') synchronize(dirname(file))
    return totals
  } catch (error) {
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(partial + suffix, { force: true })
    throw error
  }
}

async function write(source: DatabaseSync, partial: string, options: BackupOptions) {
  // One step: SQLite starts again after each step if another process has written.
  await backup(source, partial, { rate: allPages })
  options.signal.throwIfAborted()
  using target = new DatabaseSync(partial)
  // Without a log, so that the backup can be read from a read-only folder.
  target.exec(
    `PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF;
     PRAGMA application_id = ${String(applicationId)}; BEGIN; ${contentsTable}`,
  )
  const lost = await addContents(source, target, options)
  target.exec('COMMIT')
  return { ...toTotals(target, options), lost }
}

async function addContents(source: DatabaseSync, target: DatabaseSync, options: BackupOptions) {
  const isOfFile = toFileCondition(options)
  const addPiece = target.prepare('INSERT INTO contents VALUES (?, ?, ?)')
  const forgetContent = target.prepare('DELETE FROM contents WHERE id = ?')
  const forgetRecord = target.prepare(`DELETE FROM records WHERE ${isOfFile} AND id = ?`)
  const isThere = source.prepare(`SELECT 1 FROM records WHERE ${isOfFile} AND id = ?`)
  const lost: string[] = []
  for (const known of eachFile(target, options)) {
    const { id } = known
    const content = await readContent(options.files, known)
    const isSame = await hasContentOf(known, content, (place, piece) => {
      options.signal.throwIfAborted()
      addPiece.run(id, place, piece)
    })
    if (isSame) continue
    if (isThere.get(id)) lost.push(id)
    forgetContent.run(id)
    forgetRecord.run(id)
  }
  return lost
}

async function readContent(files: Files, { id, size }: KnownFile) {
  const read = () => files.read(id, 0, size - 1)
  if (!Number.isSafeInteger(size) || size <= 0) return []
  // A file may still be pending although its record exists, during an upload or after a crash.
  return (await read()) ?? (await files.keep(id).then(read, () => undefined)) ?? []
}

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
    add(place++, piece)
    length += piece.length
  }
  return length === size && hash.digest('hex') === sha256
}

export function* eachFile(database: DatabaseSync, collections: FileCollections, schema = 'main') {
  const known = database.prepare(
    `SELECT id, document ->> '$.size' AS size, document ->> '$.sha256' AS sha256
     FROM ${schema}.records WHERE ${toFileCondition(collections)}`,
  )
  for (const { id, size, sha256 } of known.iterate()) {
    yield { id: String(id), size: Number(size ?? NaN), sha256: String(sha256) }
  }
}

export type BackupTotals = ReturnType<typeof toTotals>

export function toTotals(database: DatabaseSync, collections: FileCollections) {
  const isOfFile = toFileCondition(collections)
  const { orphanedFiles, dataFile } = collectionNames
  const select = database.prepare(
    `SELECT resource, count(*) AS count, sum(document ->> '$.size') FILTER (WHERE ${isOfFile}) AS bytes
     FROM records WHERE resource NOT IN ('${orphanedFiles}', '${dataFile}')
     GROUP BY resource ORDER BY count DESC, resource`,
  )
  const rows = select.all()
  const counts = rows.map(
    ({ resource, count }) => [toKind(String(resource)), Number(count)] as const,
  )
  return { counts, bytes: rows.reduce((total, { bytes }) => total + Number(bytes ?? 0), 0) }
}

function synchronize(path: string): void {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}
