import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openSqliteDatabase } from '../src/storage/sqlite-database.ts'
import { knownId, type Row } from './rows.ts'

/** Writes what a row asks for: its records, one of them under the known id, and its files. */
export async function fill(folder: string, { records = 0 }: Row): Promise<void> {
  await mkdir(join(folder, 'public'), { recursive: true })
  await writeFile(join(folder, 'public/4k.bin'), Buffer.alloc(4096, 'glass'))
  await writeFile(join(folder, 'public/1m.bin'), Buffer.alloc(1024 ** 2, 'glass'))
  const database = openSqliteDatabase(`sqlite:${join(folder, 'vitrine.db')}`)
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
