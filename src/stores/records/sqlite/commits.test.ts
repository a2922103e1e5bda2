import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { temporaryFolder } from '../../../../test/support/start-vitrine.ts'
import { StoreFailure } from '../../store-failure.ts'
import { openSqliteDatabase, type Durability } from '../../sqlite/database.ts'
import { allRecords } from '../records.ts'
import { createSqliteRecords } from './records.ts'

const noon = '2026-01-01T12:00:00.000Z'

async function openRecords(t: TestContext, durability?: Durability, maxRecords?: number) {
  const path = join(await temporaryFolder(t), 'records.db')
  const database = openSqliteDatabase(`sqlite:${path}`, durability)
  t.after(() => {
    if (database.isOpen) database.close()
  })
  const records = createSqliteRecords(database, { maxRecords })
  const users = records.collection('users')
  const create = (id: string) => users.create({ id, document: {}, createdAt: noon })
  const count = () => users.count(allRecords)
  return { path, database, records, users, create, count }
}

test('a database is synchronized at every commit if the setting requires it', async (t) => {
  for (const [durability, synchronous] of [
    [undefined, 1],
    ['process', 1],
    ['full', 2],
  ] as const) {
    await t.test(String(synchronous), async () => {
      const { database, create } = await openRecords(t, durability)
      assert.equal(await create('a'), true)
      assert.deepEqual({ ...database.prepare('PRAGMA synchronous').get() }, { synchronous })
    })
  }
})

const ids = Array.from({ length: 50 }, (_, index) => String(index))

test('writes that start together are one transaction', async (t) => {
  const { path, create } = await openRecords(t)
  const { size } = await stat(`${path}-wal`)
  assert.deepEqual(new Set(await Promise.all(ids.map(create))), new Set([true]))
  const pages = ((await stat(`${path}-wal`)).size - size) / 4096
  assert.ok(pages < ids.length, `wrote ${String(pages)} pages`)
})

test('creations that start together succeed up to the limit', async (t) => {
  const { users, create, count } = await openRecords(t, 'process', 20)
  await create('first')
  const outcomes = await Promise.allSettled([
    ...ids.map(create),
    users.remove('first'),
    create('last'),
    create('0'),
    create('next'),
  ])
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'full')),
    [...ids.map((_, index) => (index < 19 ? true : 'full')), true, true, false, 'full'],
  )
  assert.equal(await count(), 20)
})

test('two connections to one file never exceed the limit together', async (t) => {
  const { path, create, count } = await openRecords(t, 'process', 20)
  const database = openSqliteDatabase(`sqlite:${path}`)
  t.after(() => {
    database.close()
  })
  const other = createSqliteRecords(database, { maxRecords: 20 })
  const createThere = (id: string) =>
    other.collection('users').create({ id: `there-${id}`, document: {}, createdAt: noon })
  await Promise.allSettled(ids.flatMap((id) => [create(id), createThere(id)]))
  assert.equal(await count(), 20)
})

test('writes that start together keep their order, and the count is right', async (t) => {
  const { users, create, count } = await openRecords(t)
  const change = (racer: number) =>
    users.change({ id: 'a', version: 1, document: { racer }, updatedAt: noon })
  const outcomes = await Promise.all([
    change(0),
    create('a'),
    create('a'),
    ...ids.map(create),
    change(1),
    change(2),
    users.remove('0'),
    users.remove('0'),
    users.remove('b'),
    create('0'),
  ])
  assert.deepEqual(outcomes.slice(0, 3), [false, true, false])
  assert.deepEqual(outcomes.slice(-6), [true, false, true, false, false, true])
  assert.deepEqual((await users.find('a'))?.document, { racer: 1 })
  assert.equal(await count(), 51)
})

for (const fault of ['ABORT', 'FAIL', 'ROLLBACK']) {
  test(`a write that ends in ${fault} is rejected alone`, async (t) => {
    const { database, users, create, count } = await openRecords(t)
    database.exec(
      `CREATE TRIGGER reject AFTER INSERT ON records WHEN new.id = 'bad'
       BEGIN SELECT raise(${fault}, 'no'); END`,
    )
    const outcomes = await Promise.allSettled(['a', 'bad', 'b', 'a'].map(create))
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'rejected')),
      [true, 'rejected', true, false],
    )
    assert.equal(await users.find('bad'), undefined)
    assert.equal(await count(), 2)
    assert.equal(await create('c'), true)
  })
}

test('a write that starts while others wait for a lock is rejected soon after them', async (t) => {
  const { path, create, count } = await openRecords(t)
  const other = new DatabaseSync(path)
  t.after(() => {
    other.close()
  })
  other.exec('BEGIN IMMEDIATE')
  const first = create('a')
  await setImmediate()
  let outcome: unknown
  create('b').catch((error: unknown) => (outcome = error))
  await assert.rejects(first, StoreFailure)
  // Turns, which a busy machine only lengthens: three seconds, if it begins to wait now, are more.
  for (let turns = 0; turns < 500 && !outcome; turns += 1) await setTimeout(1)
  assert.ok(outcome instanceof StoreFailure)
  other.exec('ROLLBACK')
  assert.equal(await create('a'), true)
  assert.equal(await count(), 1)
})

test('waiting writes are committed before a database is closed', async (t) => {
  const { path, database, records, create } = await openRecords(t)
  const created = create('a')
  await records.settle()
  database.close()
  assert.equal(await created, true)
  const after = new DatabaseSync(path)
  t.after(() => {
    after.close()
  })
  assert.deepEqual({ ...after.prepare('SELECT id FROM records').get() }, { id: 'a' })
})
