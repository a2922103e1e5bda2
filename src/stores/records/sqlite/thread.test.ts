import assert from 'node:assert/strict'
import { join } from 'node:path'
import { readdir } from 'node:fs/promises'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from '../../../../test/support/start-vitrine.ts'
import { openSqliteDatabase } from '../../sqlite/database.ts'
import { isUnavailable } from '../../store-failure.ts'
import { createReadIds } from './reader.ts'
import { createReadThread } from './thread.ts'

const numbers = `WITH RECURSIVE numbers (rowid) AS (
  SELECT 1 UNION ALL SELECT rowid + 1 FROM numbers LIMIT 1000000000
)`
const endless = `${numbers} SELECT count(*) FROM numbers WHERE rowid % 16 OR goes_on()`
const toQuery = (sql: string) => [{ sql, values: [] }]

async function openThread(t: TestContext) {
  const folder = await temporaryFolder(t)
  const path = join(folder, 'records.db')
  const database = openSqliteDatabase(`sqlite:${path}`)
  const thread = createReadThread(path)
  t.after(async () => {
    await thread.close()
    if (database.isOpen) database.close()
  })
  return { database, thread, folder }
}

test('a query whose rows are no longer needed is stopped, and the thread goes on', async (t) => {
  const { thread } = await openThread(t)
  const isCancelled = () => true
  await assert.rejects(thread.read(toQuery(endless), isCancelled), /no longer needed/)
  assert.deepEqual(await thread.read(toQuery('SELECT 1')), [[1]])
})

test('of two queries that find the same, the next is run if the first takes long', async (t) => {
  const { thread } = await openThread(t)
  assert.deepEqual(await thread.read([...toQuery(endless), ...toQuery('SELECT 2')]), [[2]])
})

test('a thread reads what was written before, and cannot write', async (t) => {
  const { database, thread } = await openThread(t)
  assert.deepEqual(await thread.read(toQuery('SELECT count(*) FROM record_counts')), [[0]])
  database.exec(`INSERT INTO record_counts VALUES ('users', 3)`)
  assert.deepEqual(await thread.read(toQuery('SELECT count FROM record_counts')), [[3]])
  await assert.rejects(thread.read(toQuery('DELETE FROM record_counts')), isUnavailable)
  await assert.rejects(thread.read(toQuery('SELECT missing')), /no such column/)
})

test('a query of a thread that ends is rejected, and the next one starts another thread', async (t) => {
  const { database, thread, folder } = await openThread(t)
  const reading = assert.rejects(thread.read(toQuery(endless)), isUnavailable)
  await thread.close()
  await reading
  assert.deepEqual(await thread.read(toQuery('SELECT 1')), [[1]])
  await thread.close()
  database.close()
  assert.deepEqual(await readdir(folder), ['records.db'])
})

for (const end of ['read to the end', 'left after a part']) {
  test(`ids in order are in a temporary table, which is removed when they are ${end}`, async (t) => {
    const { thread } = await openThread(t)
    const query = toQuery(`${numbers} SELECT 'n' || rowid AS id FROM numbers LIMIT 2500`)
    const parts: number[] = []
    for await (const rows of createReadIds(thread)(query, undefined) ?? []) {
      parts.push(rows.length)
      if (end.startsWith('left')) break
    }
    assert.deepEqual(parts, end.startsWith('left') ? [1000] : [1000, 1000, 500])
    assert.deepEqual(await thread.read(toQuery('SELECT count(*) FROM temp.sqlite_schema')), [[0]])
  })
}

test('ids that are left after the thread has ended start no other', async (t) => {
  const { thread, database, folder } = await openThread(t)
  for await (const rows of createReadIds(thread)(toQuery('SELECT 1 AS id'), undefined) ?? []) {
    assert.equal(rows.length, 1)
    await thread.close()
    database.close()
    break
  }
  assert.deepEqual(await readdir(folder), ['records.db'])
})

test('ids of a thread that has ended are not looked for in the next one', async (t) => {
  const { thread } = await openThread(t)
  const query = toQuery(`${numbers} SELECT 'n' || rowid AS id FROM numbers LIMIT 2500`)
  const parts = createReadIds(thread)(query, undefined) ?? assert.fail()
  assert.equal((await parts.next()).value?.length, 1000)
  await thread.close()
  assert.deepEqual(await thread.read(toQuery('SELECT 1')), [[1]])
  await assert.rejects(parts.next(), isUnavailable)
})

test('eight clients at once have a table of ids, and the next one when another has ended', async (t) => {
  const { thread } = await openThread(t)
  const readIds = createReadIds(thread)
  const open = () => readIds(toQuery('SELECT 1 AS id'), undefined)
  const opened: AsyncGenerator[] = []
  for (let count = 0; count < 8; count += 1) {
    const parts = open() ?? assert.fail()
    await parts.next()
    opened.push(parts)
  }
  assert.equal(open(), undefined)
  await opened[0]?.return(undefined)
  assert.ok(open())
})
