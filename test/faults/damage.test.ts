import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, open, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { openSqliteDatabase } from '../../src/stores/sqlite/database.ts'
import { settingsIn, startVitrine, temporaryFolder } from '../support/start-vitrine.ts'
import { asJson, openClient, type Send } from '../support/client.ts'
import { assertFailsToStart } from './failing-start.ts'
import { remount, smallDisk } from './small-disk.ts'
import { limit } from '../support/stopping.ts'

// More than the cache of SQLite holds, so that it has to read from the file.
const count = 20_000
const pageBytes = 4096

function toSettings(folder: string) {
  return { ...settingsIn(folder), LOG_LEVEL: 'silent' }
}

function fill(path: string): void {
  const database = openSqliteDatabase(`sqlite:${path}`)
  const insert = database.prepare(
    `INSERT INTO records (resource, id, document, version, created_at, updated_at)
     VALUES ('locations', ?, ?, 1, ?, ?)`,
  )
  const document = JSON.stringify({ name: 'Rome', note: 'n'.repeat(500) })
  const time = new Date(0).toISOString()
  database.exec('BEGIN')
  for (let index = 0; index < count; index += 1) insert.run(String(index), document, time, time)
  database.exec('COMMIT')
  database.close()
}

/** Overwrites all of a file but its first pages. */
async function overwrite(path: string, firstPage = 20): Promise<void> {
  const { size } = await stat(path)
  const file = await open(path, 'r+')
  const start = firstPage * pageBytes
  await file.write(Buffer.alloc(size - start, 0xa5), 0, size - start, start)
  await file.close()
}

async function cut(path: string): Promise<void> {
  const file = await open(path, 'r+')
  await file.truncate(20 * pageBytes)
  await file.close()
}

/** Requests records all over the file, and writes some; returns the status codes. */
async function useAll(send: Send): Promise<Set<number>> {
  const statuses = new Set<number>()
  const see = async (...request: Parameters<Send>) => {
    const { status, text } = await send(...request)
    assert.doesNotMatch(text, /malformed|SQL|vitrine\.db/i)
    statuses.add(status)
  }
  for (let index = 0; index < count; index += 500) {
    await see(`/locations/${String(index)}`)
    await see(`/locations/${String(index)}`, asJson('PATCH', { note: 'changed' }))
    await see(`/locations/new${String(index)}`, asJson('PUT', { name: 'Oslo' }))
  }
  // Whole it cannot be: it is rejected, or its connection ends.
  const isWhole = await send('/locations').then(
    ({ status }) => status === 200,
    () => false,
  )
  assert.ok(!isWhole)
  return statuses
}

for (const [how, damage] of Object.entries({
  'overwritten in its middle': overwrite,
  'cut off': cut,
})) {
  test(
    `a file ${how} while the process runs gets 503, and the process goes on`,
    limit,
    async (t) => {
      const folder = await temporaryFolder(t)
      const path = join(folder, 'vitrine.db')
      fill(path)
      const { origin } = await startVitrine(t, toSettings(folder))
      const send = openClient(t, origin)
      assert.equal((await send('/locations/0')).status, 200)
      await damage(path)
      const statuses = await useAll(send)
      t.diagnostic(`statuses ${[...statuses].join(', ')}`)
      assert.ok(statuses.has(503))
      assert.ok(!statuses.has(500))
      assert.equal((await send('/health')).status, 200)
    },
  )

  test(`a file ${how} while stopped stops the start, or is rejected with 503`, limit, async (t) => {
    const folder = await temporaryFolder(t)
    const path = join(folder, 'vitrine.db')
    fill(path)
    await damage(path)
    const started = await startVitrine(t, toSettings(folder)).catch((error: unknown) => error)
    if (started instanceof Error) {
      await assertFailsToStart(t, toSettings(folder))
      return
    }
    const { origin } = started as Awaited<ReturnType<typeof startVitrine>>
    const send = openClient(t, origin)
    const statuses = await useAll(send)
    t.diagnostic(`statuses ${[...statuses].join(', ')}`)
    assert.ok(statuses.has(503))
    assert.ok(!statuses.has(500))
    assert.equal((await send('/health')).status, 200)
  })
}

test('a record whose document is not valid JSON gets 503 like other damage', limit, async (t) => {
  const folder = await temporaryFolder(t)
  const path = join(folder, 'vitrine.db')
  fill(path)
  const file = await open(path, 'r+')
  await file.write(Buffer.alloc(14, '#'), 0, 14, (await file.readFile()).indexOf('{"name":"Rome"'))
  await file.close()
  const { origin } = await startVitrine(t, toSettings(folder))
  const send = openClient(t, origin)
  const statuses = new Set<number>()
  // Which record it is that the file has first, only SQLite knows.
  for (let index = 0; index < 40; index += 1) {
    statuses.add((await send(`/locations/${String(index)}`)).status)
  }
  assert.deepEqual([...statuses].toSorted(), [200, 503])
})

test('a file whose first page is damaged stops the start, and is not changed', limit, async (t) => {
  const folder = await temporaryFolder(t)
  const path = join(folder, 'vitrine.db')
  fill(path)
  await overwrite(path, 0)
  const before = await readFile(path)
  await assertFailsToStart(t, toSettings(folder))
  assert.deepEqual(await readFile(path), before)
})

test('a file of a newer schema stops the start, and is not changed', limit, async (t) => {
  const folder = await temporaryFolder(t)
  const path = join(folder, 'vitrine.db')
  fill(path)
  const newer = new DatabaseSync(path)
  newer.exec('PRAGMA user_version = 99')
  newer.close()
  const before = await readFile(path)
  assert.match(await assertFailsToStart(t, toSettings(folder)), /newer.*99/)
  assert.deepEqual(await readFile(path), before)
})

test('a folder or a text file in place of the database stops the start', limit, async (t) => {
  const folder = await temporaryFolder(t)
  await mkdir(join(folder, 'folder'))
  await writeFile(join(folder, 'text'), 'no database '.repeat(1000))
  for (const name of ['folder', 'text']) {
    const DATABASE_URL = `sqlite:${join(folder, name)}`
    await assertFailsToStart(t, { ...toSettings(folder), DATABASE_URL })
  }
})

test(
  'a read-only disk stops the start, and the start succeeds when it is writable',
  limit,
  async (t) => {
    const folder = await smallDisk(t, '8m')
    if (folder === undefined) return
    const settings = { ...toSettings(folder), FILES_URL: `file:${await temporaryFolder(t)}` }
    const first = await startVitrine(t, settings)
    await openClient(t, first.origin)('/locations/rome', asJson('PUT', { name: 'Rome' }))
    first.process.kill('SIGTERM')
    await once(first.process, 'exit')
    await remount(folder, 'ro')
    await assertFailsToStart(t, settings)
    await remount(folder, 'rw')
    const { origin } = await startVitrine(t, settings)
    assert.equal((await openClient(t, origin)('/locations/rome')).status, 200)
  },
)

for (const response of ['{', 'null', '[]'])
  test(`a bin whose stored response is ${response} gets 503, and others work`, async (t) => {
    const settings = toSettings(await temporaryFolder(t))
    const { origin } = await startVitrine(t, settings)
    const send = openClient(t, origin)
    const create = async () => {
      const { text } = await send('/bins', asJson('POST', {}))
      return (JSON.parse(text) as { id: string }).id
    }
    const [damaged, sound] = [await create(), await create()]
    using database = new DatabaseSync(settings.DATABASE_URL.replace('sqlite:', ''))
    database
      .prepare("UPDATE records SET document = json_set(document, '$.response', ?) WHERE id = ?")
      .run(response, damaged)
    assert.equal((await send(`/b/${damaged}`)).status, 503)
    assert.equal((await send(`/b/${sound}`)).status, 200)
  })
