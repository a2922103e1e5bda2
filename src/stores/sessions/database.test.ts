import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from '../../../test/support/start-vitrine.ts'
import { createSqliteRecords } from '../records/sqlite/records.ts'
import { openSqliteDatabase } from '../sqlite/database.ts'
import { createDatabaseSessions } from './database.ts'
import { sessionOf, sessionsContract } from './sessions.contract.ts'

function openRecords(t: TestContext, url: string) {
  const database = openSqliteDatabase(url)
  t.after(() => {
    database.close()
  })
  return createSqliteRecords(database)
}

sessionsContract('the database', async (t) =>
  createDatabaseSessions(openRecords(t, 'sqlite::memory:').collection('any')),
)

test('two processes with one database have the same sessions', async (t) => {
  const url = `sqlite:${join(await temporaryFolder(t), 'sessions.db')}`
  const one = createDatabaseSessions(openRecords(t, url).collection('any'))
  const another = createDatabaseSessions(openRecords(t, url).collection('any'))
  await one.create('hash', sessionOf())
  assert.deepEqual(await another.find('hash'), sessionOf())
  await another.remove('hash')
  assert.equal(await one.find('hash'), undefined)
})
