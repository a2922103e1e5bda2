import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { allRecords } from '../records/records.ts'
import { createSqliteRecords } from '../records/sqlite/records.ts'
import { openSqliteDatabase } from '../sqlite/database.ts'
import { answersContract } from './idempotency-entries.contract.ts'
import { createDatabaseIdempotencyEntries } from './database.ts'

function openRecords(t: TestContext) {
  const database = openSqliteDatabase('sqlite::memory:')
  t.after(() => {
    database.close()
  })
  return createSqliteRecords(database)
}

answersContract('the database', async (t) => createDatabaseIdempotencyEntries(openRecords(t)))

test('answers are among the records of no resource that has routes', async (t) => {
  const records = openRecords(t)
  const claim = { fingerprint: '', recordId: 'a', leasedUntil: '', expiresAt: '' }
  await createDatabaseIdempotencyEntries(records).create('hash', claim)
  for (const resource of ['users', 'locations', 'uploads', 'sessions', 'answers', '~sessions']) {
    assert.equal(await records.count(resource, allRecords), 0, resource)
  }
})
