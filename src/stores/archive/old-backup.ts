import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { pipeline } from 'node:stream/promises'
import { pathToFileURL } from 'node:url'
import { findJson } from '../../config/find-json.ts'
import { collectionNames } from '../collection-names.ts'
import { isDamage, readPragma } from '../sqlite/database.ts'
import { readSchemaVersion } from '../sqlite/migrations.ts'
import { madeBefore02 } from '../store-failure.ts'
import type { ArchiveLine } from './archive.ts'

/** `application_id` of a backup of version 0.2: "Vit1" in ASCII. That of 0.1 is "Vitr". */
const applicationId = 0x56697431
const firstApplicationId = 0x56697472

const lastLine = /^vitrine-sha256 ([0-9a-f]{64})\n$/
const lastLineBytes = 80

/** A backup of version 0.2 is a SQLite database with the contents of files, and a line with its hash. */
export async function* readOldBackup(file: string): AsyncGenerator<ArchiveLine, void> {
  try {
    using database = new DatabaseSync(toUnchangeable(file), { readOnly: true })
    const id = Number(readPragma(database, 'application_id'))
    if (id === firstApplicationId) throw new Error(madeBefore02)
    if (id !== applicationId) throw new Error('it was not made by vitrine backup')
    await assertHash(file)
    readSchemaVersion(database)
    const finding = readPragma(database, 'integrity_check(1)')
    if (finding !== 'ok') throw new Error(`it is damaged: ${finding.replaceAll('\n', ' ')}`)
    yield* selectEntries(database)
  } catch (error) {
    throw isDamage(error) ? new Error('it is damaged, or its end is missing') : error
  }
}

/** SQLite would apply any journal that lies beside the file. */
function toUnchangeable(file: string): string {
  const url = pathToFileURL(file)
  url.searchParams.set('immutable', '1')
  return url.href
}

async function assertHash(path: string): Promise<void> {
  await using file = await open(path)
  const start = Math.max(0, (await file.stat()).size - lastLineBytes)
  const { buffer } = await file.read({ buffer: Buffer.alloc(lastLineBytes), position: start })
  const [, expected] = lastLine.exec(buffer.toString('latin1')) ?? []
  if (expected === undefined) throw new Error('it is damaged: its end is missing')
  const hash = createHash('sha256').setEncoding('hex')
  await pipeline(createReadStream(path, { end: start - 1 }), hash)
  if (hash.read() !== expected)
    throw new Error('it is damaged: its content does not match its hash')
}

function* selectEntries(database: DatabaseSync): Generator<ArchiveLine> {
  // A view would run statements of the author of the backup.
  const views = database.prepare("SELECT name FROM sqlite_schema WHERE type IN ('view', 'trigger')")
  if (views.get()) throw new Error('it has a view or a trigger, which Vitrine never creates')
  const records = database.prepare(
    `SELECT * FROM records WHERE resource <> '${collectionNames.orphanedFiles}'
     ORDER BY resource <> '${collectionNames.dataFile}'`,
  )
  const pieces = database.prepare('SELECT piece FROM contents WHERE id = ? ORDER BY place')
  for (const row of records.iterate()) {
    yield { record: toRecord(row) }
    for (const { piece } of pieces.iterate(String(row.id))) yield { piece }
  }
}

function toRecord({ resource, created_at, updated_at, ...row }: Record<string, SQLOutputValue>) {
  const own = { collection: resource, id: row.id, version: row.version }
  const document = findJson(String(row.document))
  return { ...own, document, createdAt: created_at, updatedAt: updated_at }
}
