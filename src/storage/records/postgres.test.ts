import { after, before, suite, type TestContext } from 'node:test'
import {
  createSchema,
  openPostgresServer,
  withoutPostgres,
  type PostgresServer,
} from '../../../test/postgres-server.ts'
import { openPostgresDatabase } from '../postgres-database.ts'
import { recordsContract } from './records.contract.ts'
import { createPostgresRecords } from './postgres.ts'

suite('PostgreSQL', { skip: withoutPostgres }, () => {
  let server: PostgresServer
  before(async () => {
    server = await openPostgresServer()
  })
  after(() => server.remove())

  async function openRecords(t: TestContext) {
    const url = await createSchema(t, server.url)
    const database = await openPostgresDatabase(url)
    t.after(() => database.close())
    return { records: createPostgresRecords(database), database, url }
  }

  recordsContract('PostgreSQL', async (t) => (await openRecords(t)).records)
})
