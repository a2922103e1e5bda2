import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import type { TestContext } from 'node:test'
import { restoreArchive } from '../../src/stores/archive/restore-archive.ts'
import { createSqliteArchive } from '../../src/stores/archive/sqlite.ts'
import { writeArchive } from '../../src/stores/archive/write-archive.ts'
import { openDiskFiles } from '../../src/stores/files/disk.ts'
import { createSqliteRecords } from '../../src/stores/records/sqlite/records.ts'
import { openSqliteDatabase } from '../../src/stores/sqlite/database.ts'
import { makeOldBackup, readArchiveLines, writeArchiveLines } from './archives.ts'
import { temporaryFolder } from './start-vitrine.ts'

export const createdAt = '2026-01-01T12:00:00.000Z'
export const content = randomBytes(200_000)
const fileCollections = ['uploads']
const checkRecord = () => undefined
/** Database and files in a folder of their own, with one upload and these locations in them. */
export async function openFilled(t: TestContext, names: readonly string[] = ['Pier', 'Mill']) {
  const folder = await temporaryFolder(t)
  const path = join(folder, 'vitrine.db')
  const files = await openDiskFiles(`file:${join(folder, 'files')}`)
  const open = () => {
    const database = openSqliteDatabase(`sqlite:${path}`)
    return { database, records: createSqliteRecords(database) }
  }
  const { database, records } = open()
  for (const name of names) {
    await records.collection('locations').create({ id: name, document: { name }, createdAt })
  }
  const id = `upload-of-${names.join('-')}`
  const saved = await files.save(id, Readable.from([Buffer.from(content)]))
  await files.keep(id)
  await records
    .collection('uploads')
    .create({ id, document: { ...saved, name: 'a.bin' }, createdAt })
  database.close()
  return { folder, path, files, open, id }
}

type Filled = Awaited<ReturnType<typeof openFilled>>

export async function save({ folder, path, files }: Filled): Promise<string> {
  const file = join(folder, 'saved.vitrine')
  const database = createSqliteArchive(path, fileCollections)
  const lines = writeArchive({ database, files, fileCollections, schemas: {} })
  await writeFile(file, Readable.from(lines))
  return file
}

/** As version 0.2 did. */
export async function saveOld({ folder, path, id }: Filled): Promise<string> {
  const file = join(folder, 'old.vitrine')
  change(path, `PRAGMA wal_checkpoint(TRUNCATE); VACUUM INTO '${file}'`)
  const pieces = [0, 100_000].map(
    (start, place) =>
      `INSERT INTO contents VALUES ('${id}', ${String(place)}, x'${content.subarray(start, start + 100_000).toString('hex')}')`,
  )
  await makeOldBackup(file, pieces.join(';'))
  return file
}

export function restore({ path, files }: Pick<Filled, 'path' | 'files'>, file: string) {
  const database = createSqliteArchive(path, fileCollections)
  return restoreArchive({ database, file, files, fileCollections, checkRecord })
}

export function change(file: string, statement: string): void {
  using database = new DatabaseSync(file)
  database.exec(statement)
}

export type Spoil = (file: string) => Promise<void>
type Line = Awaited<ReturnType<typeof readArchiveLines>>[number]

/** Changes lines and gives the file the right hash. */
export const forge =
  (changeLines: (lines: Line[]) => unknown[]): Spoil =>
  async (file) => {
    await writeArchiveLines(file, changeLines(await readArchiveLines(file)))
  }
