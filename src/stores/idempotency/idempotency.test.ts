import type { TestContext } from 'node:test'
import { createSqliteRecords } from '../records/sqlite/records.ts'
import { openSqliteDatabase } from '../sqlite/database.ts'
import { entriesContract } from './idempotency.contract.ts'
import { createIdempotencyEntries } from './idempotency.ts'

function openRecords(t: TestContext) {
  const database = openSqliteDatabase('sqlite::memory:')
  t.after(() => {
    database.close()
  })
  return createSqliteRecords(database)
}

entriesContract('the database', async (t) =>
  createIdempotencyEntries(openRecords(t).collection('any')),
)
