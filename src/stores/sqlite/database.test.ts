import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { noon, openRecords, temporaryFile } from '../../../test/support/sqlite-records.ts'
import { temporaryFolder } from '../../../test/support/start-vitrine.ts'
import type { Collection } from '../records/records.ts'
import { createSqliteRecords } from '../records/sqlite/records.ts'
import { isFull } from '../store-failure.ts'
import { openSqliteDatabase } from './database.ts'

test('a file of the maximum size is opened, without an index that does not fit', async (t) => {
  const database = openSqliteDatabase(`sqlite:${await temporaryFile(t)}`, 'process', 1024 ** 2)
  t.after(() => {
    database.close()
  })
  const users = createSqliteRecords(database).collection('users')
  const document = { name: 'n'.repeat(2000) }
  const create = (index: number) => users.create({ id: String(index), document, createdAt: noon })
  let count = 0
  await assert.rejects(async () => {
    for (; await create(count); count += 1);
  }, isFull)
  await users.index(['name'])
  const sort = [{ field: 'name', isDescending: false }]
  assert.equal((await users.list({ filters: [], sort }, { offset: 0, limit: 1000 })).length, count)
  for (let index = 0; index < 100; index += 1) {
    assert.equal(await users.remove(String(index)), true)
  }
  for (let index = 0; index < 90; index += 1) assert.equal(await create(index), true)
})

test('a file over the maximum size is served, and does not grow', async (t) => {
  const file = await temporaryFile(t)
  const document = { name: 'n'.repeat(2000) }
  const first = openRecords(t, `sqlite:${file}`)
  const create = (users: Collection, index: number) =>
    users.create({ id: String(index), document, createdAt: noon })
  for (let index = 0; index < 1000; index += 1) await create(first.users, index)
  first.database.close()
  const { size } = await stat(file)
  const database = openSqliteDatabase(`sqlite:${file}`, 'process', 1024 ** 2)
  const users = createSqliteRecords(database).collection('users')
  assert.ok(await users.find('999'))
  await assert.rejects(async () => {
    for (let index = 1000; await create(users, index); index += 1);
  }, isFull)
  assert.equal(await users.remove('0'), true)
  database.close()
  assert.ok(size > 1024 ** 2 && (await stat(file)).size <= size)
})

test('two databases in memory share nothing', async (t) => {
  const one = openRecords(t, 'sqlite::memory:')
  const other = openRecords(t, 'sqlite::memory:')
  await one.users.create({ id: 'a', document: {}, createdAt: noon })
  assert.equal(await other.users.find('a'), undefined)
})

test('missing parent folders of the file are created', async (t) => {
  const url = `sqlite:${join(await temporaryFolder(t), 'not', 'there', 'yet', 'records.db')}`
  const { users } = openRecords(t, url)
  assert.equal(await users.create({ id: 'a', document: {}, createdAt: noon }), true)
})

test('a database of a newer schema is rejected with a reason and not changed', async (t) => {
  const file = await temporaryFile(t)
  const newer = new DatabaseSync(file)
  newer.exec('PRAGMA user_version = 99')
  newer.close()
  assert.throws(() => openSqliteDatabase(`sqlite:${file}`), /newer Vitrine.*99/)
  const after = new DatabaseSync(file)
  t.after(() => {
    after.close()
  })
  assert.equal(after.prepare('PRAGMA user_version').get()?.user_version, 99)
  assert.deepEqual(after.prepare('SELECT name FROM sqlite_schema').all(), [])
})

test('a file that is not a database is rejected with a reason and not changed', async (t) => {
  const file = await temporaryFile(t)
  const text = 'This is a letter and no database. '.repeat(100)
  await writeFile(file, text)
  assert.throws(() => openSqliteDatabase(`sqlite:${file}`), /not a database/)
  assert.equal(await readFile(file, 'utf8'), text)
})

test('a folder is rejected', async (t) => {
  const folder = await temporaryFolder(t)
  assert.throws(() => openSqliteDatabase(`sqlite:${folder}`), /unable to open/)
})

const openWithTheOthers = `
const { workerData, parentPort } = require('node:worker_threads')
const { module, urls, waiting, count } = workerData
const open = (openSqliteDatabase, url, round) => {
  if (Atomics.add(waiting, round, 1) + 1 === count) Atomics.notify(waiting, round)
  for (let seen; (seen = Atomics.load(waiting, round)) < count; ) Atomics.wait(waiting, round, seen)
  try {
    openSqliteDatabase(url).close()
    return 'open'
  } catch (error) {
    return String(error)
  }
}
import(module).then(({ openSqliteDatabase }) =>
  parentPort.postMessage(urls.map((url, round) => open(openSqliteDatabase, url, round))),
)`

test('connections that open a new file at the same moment all find it migrated', async (t) => {
  const module = new URL('database.ts', import.meta.url).href
  const [count, rounds] = [8, 20]
  const folder = await temporaryFolder(t)
  const urls = Array.from({ length: rounds }, (_, round) => `sqlite:${folder}/${String(round)}.db`)
  const waiting = new Int32Array(new SharedArrayBuffer(4 * rounds))
  const outcomes = await Promise.all(
    Array.from({ length: count }, async () => {
      const workerData = { module, urls, waiting, count }
      const worker = new Worker(openWithTheOthers, { eval: true, workerData })
      const [opened] = (await once(worker, 'message')) as [string[]]
      return opened
    }),
  )
  for (const opened of outcomes) assert.deepEqual(opened, Array<string>(rounds).fill('open'))
  for (const url of urls) {
    const { users } = openRecords(t, url)
    assert.equal(await users.create({ id: 'a', document: {}, createdAt: noon }), true)
  }
})

const holdAndLetGo = `
const { parentPort, workerData } = require('node:worker_threads')
const { DatabaseSync } = require('node:sqlite')
const database = new DatabaseSync(workerData)
database.exec('PRAGMA journal_mode = WAL; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
parentPort.postMessage('held')
// Opening blocks its thread, so that nothing but time can end this.
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500)
database.close()`

test('a file that another process is creating is opened when that one has let it go', async (t) => {
  const file = await temporaryFile(t)
  const worker = new Worker(holdAndLetGo, { eval: true, workerData: file })
  const end = once(worker, 'exit')
  await once(worker, 'message')
  const { users } = openRecords(t, `sqlite:${file}`)
  assert.equal(await users.create({ id: 'a', document: {}, createdAt: noon }), true)
  await end
})
