import type { TestContext } from 'node:test'
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

answersContract('the database', async (t) =>
  createDatabaseIdempotencyEntries(openRecords(t).collection('any')),
)
