import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:fs'
import { access, copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { openPostgresDatabase } from '../src/stores/postgres/database.ts'
import { toKeys } from '../src/stores/records/postgres/keys.ts'
import { openSqliteDatabase } from '../src/stores/sqlite/database.ts'

export interface Place {
  /** Empty at first, and not shared with other rows. */
  folder: string
  /** Filled databases for the next rows. */
  library: string
  rounds: number
}

/**
 * Writes files to serve, a data file with 1,000 posts, and a database with locations. A database is
 * made once per run, in `library`, and copied.
 */
export async function fill({ folder, library }: Place, records = 0): Promise<void> {
  await mkdir(join(folder, 'public'), { recursive: true, mode: 0o700 })
  await writeFile(join(folder, 'public/4k.bin'), Buffer.alloc(4096, 'glass'))
  await writeFile(join(folder, 'public/1m.bin'), Buffer.alloc(1024 ** 2, 'glass'))
  await writeFile(join(folder, 'db.json'), JSON.stringify({ posts: toPosts() }))
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
  for (const [id, document, time] of toRecords(records)) {
    insert.run(id, JSON.stringify(document), time, time)
  }
  database.prepare(`INSERT INTO record_counts VALUES ('locations', ?)`).run(records)
  database.exec('COMMIT')
  database.close()
}

/** The database must be empty. */
export async function fillPostgres(url: string, records: number): Promise<void> {
  const database = await openPostgresDatabase(url)
  await database.close()
  const statements = [
    'COPY records (resource, id, document, keys, version, created_at, updated_at) FROM STDIN',
    `INSERT INTO record_counts VALUES ('locations', 0, ${String(records)})`,
    'VACUUM ANALYZE',
  ]
  const commands = statements.flatMap((statement) => ['-c', statement])
  const psql = spawn('psql', ['-qX', '-v', 'ON_ERROR_STOP=1', '-d', url, ...commands], {
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  Readable.from(toLines(records)).pipe(psql.stdin)
  const [code] = (await once(psql, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`psql ended with ${String(code)}`)
}

function* toLines(records: number): Generator<string> {
  let text = ''
  for (const [id, document, time] of toRecords(records)) {
    const values = [JSON.stringify(document), JSON.stringify(toKeys(document)), '1', time, time]
    text += `locations\t${id}\t${values.join('\t')}\n`
    if (text.length < 65_536) continue
    yield text
    text = ''
  }
  yield text
}

function toPosts() {
  return Array.from({ length: 1000 }, (_, index) => ({
    id: index + 1,
    title: `post number ${String(index + 1)}`,
    body: 'lorem ipsum dolor sit amet '.repeat(1 + (index % 7)),
    authorId: index % 10,
    views: (index * 919) % 1000,
  }))
}

function* toRecords(records: number) {
  for (let index = 0; index < records; index += 1) {
    const id = `id-${String(index + 1)}`
    const time = new Date(1_700_000_000_000 + index).toISOString()
    const latitude = ((index * 7919) % 18_000) / 100 - 90
    const longitude = ((index * 104_729) % 36_000) / 100 - 180
    const document = { name: `Place ${String(index)}`, latitude, longitude, note: 'by the water' }
    yield [id, document, time] as const
  }
}
