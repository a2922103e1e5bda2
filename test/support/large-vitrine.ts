import { join } from 'node:path'
import { openSqliteDatabase } from '../../src/stores/sqlite/database.ts'
import { temporaryFolder, type Ending } from './start-vitrine.ts'
import { startWatched, type WatchedVitrine } from './watched-vitrine.ts'

/** A database file of 4,000 places with long notes: 8 MB as a list. */
async function fill(t: Ending): Promise<string> {
  const url = `sqlite:${join(await temporaryFolder(t), 'large.db')}`
  const database = openSqliteDatabase(url)
  const insert = database.prepare(
    `INSERT INTO records (resource, id, document, version, created_at, updated_at)
     VALUES ('places', ?, ?, 1, ?, ?)`,
  )
  const time = '2026-01-01T00:00:00.000Z'
  database.exec('BEGIN')
  for (let index = 0; index < 4000; index += 1) {
    const document = { name: `place ${String(index)}`, note: 'n'.repeat(1900) }
    insert.run(`place-${String(index)}`, JSON.stringify(document), time, time)
  }
  database.prepare(`INSERT INTO record_counts VALUES ('places', ?)`).run(4000)
  database.exec('COMMIT')
  database.close()
  return url
}

/** A process with a small heap and a list that it cannot hold for each of many clients. */
export async function startLarge(
  t: Ending,
  settings: Readonly<Record<string, string>> = {},
): Promise<WatchedVitrine> {
  const DATABASE_URL = await fill(t)
  const NODE_OPTIONS = '--max-old-space-size=300'
  return startWatched(t, { DATABASE_URL, LOG_LEVEL: 'error', NODE_OPTIONS, ...settings })
}
