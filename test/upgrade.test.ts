import assert from 'node:assert/strict'
import { spawnSync, type ChildProcess } from 'node:child_process'
import { readdirSync, readlinkSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { makeOldBackup } from './support/archives.ts'
import { emptyService, openService, runFailing, runSucceeding } from './support/data-folder.ts'
import type { TestService } from './support/data-folder.ts'
import { findOrigin, spawnVitrine } from './support/start-vitrine.ts'
import { until } from './support/until.ts'

const upload = 'ty1FE7ef2TZ7cBPwBk6bQg'
const databaseModule = fileURLToPath(new URL('../src/stores/sqlite/database.ts', import.meta.url))
const numbers = `(WITH RECURSIVE numbers (value) AS (
  SELECT 1 UNION ALL SELECT value + 1 FROM numbers LIMIT 20000
) SELECT value FROM numbers)`
const session = 'session=Pwst94vwGMbYbfZkH6aPAvcUWQphj0biDJe5-yhyzGc'

/** A database with what version 0.2.0 stored. */
async function writeDatabase(path: string, changes = ''): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  using database = new DatabaseSync(path)
  database.exec(await readFile(new URL('database-of-0.2.0.sql', import.meta.url), 'utf8'))
  database.exec(changes)
}

/** How the data of version 0.2.0 reach the service. */
const ways: Record<string, (service: TestService) => Promise<void>> = {
  'a database': async ({ folder }) => {
    await writeDatabase(join(folder, 'kept', 'vitrine.db'))
    const files = join(folder, 'kept', 'files')
    await mkdir(files)
    await writeFile(join(files, upload), 'glass\n')
  },
  'a backup': async (service) => {
    const file = join(service.folder, 'saved.vitrine')
    await writeDatabase(file)
    await makeOldBackup(
      file,
      `INSERT INTO contents VALUES ('${upload}', 0, CAST('glass' || char(10) AS BLOB))`,
    )
    await runSucceeding(service, 'restore', file)
  },
}

for (const [name, prepare] of Object.entries(ways))
  test(`${name} of version 0.2.0`, async (t) => {
    const service = await emptyService(t)
    await prepare(service)
    await checkAll(t, await openService(t, service))
  })

for (const statement of ['PRAGMA user_version = 7', 'COMMIT'])
  test(`a database of version 0.2.0 survives a process that is killed before ${statement}`, async (t) => {
    const service = await emptyService(t)
    const file = join(service.folder, 'kept', 'vitrine.db')
    await writeDatabase(
      file,
      `INSERT INTO records
       SELECT 'locations', value, '{"name":"É' || value || '"}', 1, 'now', 'now' FROM ${numbers}`,
    )
    const script = `const { DatabaseSync } = require('node:sqlite')
      const { exec } = DatabaseSync.prototype
      DatabaseSync.prototype.exec = function (sql) {
        if (sql === ${JSON.stringify(statement)}) process.kill(process.pid, 'SIGKILL')
        return exec.call(this, sql)
      }
      const { openSqliteDatabase } = require(${JSON.stringify(databaseModule)})
      openSqliteDatabase(${JSON.stringify(`sqlite:${file}`)})`
    assert.equal(spawnSync(process.execPath, ['--eval', script]).signal, 'SIGKILL')
    const { origin } = await openService(t, service)
    const { headers } = await fetch(`${origin}/locations.json?name:startsWith=é&per_page=1&page=1`)
    assert.equal(headers.get('x-total-count'), '20000')
  })

test('a database of version 0.1 stops the start with one line', async (t) => {
  const service = await emptyService(t)
  await writeDatabase(join(service.folder, 'kept', 'vitrine.db'), 'PRAGMA user_version = 4')
  assert.match(
    await runFailing(service),
    /vitrine\.db cannot be opened: it was made by Vitrine 0\.1\./,
  )
})

async function checkAll(t: TestContext, { origin }: { origin: string }) {
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(origin + path, { headers: { Accept: 'application/json', ...headers } })

  await t.test('has its users', async () => {
    const users = await (await get('/users?fields=_id,name')).json()
    assert.deepEqual(users, [
      { _id: 'ann', name: 'Anna' },
      { _id: 'zoe', name: 'Zoë ~ "q"' },
    ])
  })

  await t.test('finds letters of any case', async () => {
    const users = await (await get('/users?q=ZOË&fields=_id')).json()
    assert.deepEqual(users, [{ _id: 'zoe' }])
  })

  await t.test('keeps the validator of a record', async () => {
    const response = await get('/users/ann', { 'If-None-Match': '"2-mws40j7p-json"' })
    assert.equal(response.status, 304)
  })

  await t.test('has its locations, filtered by an index', async () => {
    const locations = await (await get('/locations?latitude:gt=50&fields=name')).json()
    assert.deepEqual(locations, [{ name: 'Oslo2' }])
  })

  await t.test('has its uploads', async () => {
    const response = await get(`/uploads/${upload}`)
    assert.match(String(response.headers.get('content-disposition')), /gl%C3%A4ser\.txt/)
    assert.equal(await response.text(), 'glass\n')
  })

  await t.test('keeps a user logged in', async () => {
    const { user } = (await (await get('/session', { Cookie: session })).json()) as {
      user: unknown
    }
    assert.deepEqual(user, { _id: 'ann', name: 'Anna' })
  })

  await t.test('has the passwords', async () => {
    const body = new URLSearchParams({ username: 'Anna', password: 'secret' })
    const response = await fetch(`${origin}/login`, { method: 'POST', body, redirect: 'manual' })
    assert.ok(response.headers.get('set-cookie'), String(response.status))
  })

  await t.test('responds to a repeated request as before', async () => {
    const headers = {
      Accept: 'application/json',
      'Content-Type': 'application/json',
      'Idempotency-Key': '"key-1"',
    }
    const body = '{"name":"Idem","latitude":1,"longitude":2}'
    const response = await fetch(`${origin}/locations`, { method: 'POST', headers, body })
    assert.equal(response.headers.get('idempotency-replayed'), 'true')
    assert.equal(
      response.headers.get('location'),
      '/locations/01a2044c-566a-7411-8da1-ef16a7ee65ff',
    )
  })
}

function isOpenIn({ pid }: ChildProcess, file: string): boolean {
  const folder = `/proc/${String(pid)}/fd`
  try {
    return readdirSync(folder).some((name) => readlinkSync(join(folder, name)) === file)
  } catch {
    // A file was closed in between.
    return false
  }
}

test('a process that starts while another migrates the database waits for it', async (t) => {
  const service = await emptyService(t)
  const file = join(service.folder, 'kept', 'vitrine.db')
  await writeDatabase(file)
  using other = new DatabaseSync(file)
  other.exec('PRAGMA journal_mode = WAL; BEGIN IMMEDIATE')
  const started = spawnVitrine(service.settings)
  t.after(() => started.process.kill('SIGKILL'))
  await until(() => isOpenIn(started.process, file))
  // Longer than the second for which it waits for other writes.
  await setTimeout(1500)
  assert.deepEqual([started.process.exitCode, started.output()], [null, ''])
  other.exec('ALTER TABLE records ADD COLUMN folded TEXT; PRAGMA user_version = 7; COMMIT')
  assert.match(await findOrigin(started), /^http:/)
})
