import { constants } from 'node:fs'
import { access, copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openSqliteDatabase } from '../src/stores/sqlite/database.ts'
import { knownId } from './rows.ts'

export interface Place {
  /** Empty at first, and not shared with other rows. */
  folder: string
  /** Filled databases for the next rows. */
  library: string
  rounds: number
}

/**
 * Writes files, and a database with locations, one of which has the known id. A database is made
 * once per run, in `library`, and copied.
 */
export async function fill({ folder, library }: Place, records = 0): Promise<void> {
  await mkdir(join(folder, 'public'), { recursive: true })
  await writeFile(join(folder, 'public/4k.bin'), Buffer.alloc(4096, 'glass'))
  await writeFile(join(folder, 'public/1m.bin'), Buffer.alloc(1024 ** 2, 'glass'))
  if (records === 0) return
  const filled = join(library, `${String(records)}.db`)
  const isThere = await access(filled).then(
    () => true,
    () => false,
  )
  if (!isThere) fillDatabase(filled, records)
  await copyFile(filled, join(folder, 'vitrine.db'), constants.COPYFILE_FICLONE)
}

function fillDatabase(file: string, records: number): void {
  const database = openSqliteDatabase(`sqlite:${file}`)
  const insert = database.prepare(
    `INSERT INTO records (resource, id, document, version, created_at, updated_at)
     VALUES ('locations', ?, ?, 1, ?, ?)`,
  )
  database.exec('BEGIN')
  for (let index = 0; index < records; index += 1) {
    const id = index === 0 ? knownId : `id-${String(index)}`
    const time = new Date(1_700_000_000_000 + index).toISOString()
    const latitude = ((index * 7919) % 18_000) / 100 - 90
    const longitude = ((index * 104_729) % 36_000) / 100 - 180
    const document = { name: `Place ${String(index)}`, latitude, longitude, note: 'by the water' }
    insert.run(id, JSON.stringify(document), time, time)
  }
  database.prepare(`INSERT INTO record_counts VALUES ('locations', ?)`).run(records)
  database.exec('COMMIT')
  database.close()
}
