import assert from 'node:assert/strict'
import { after, before, suite, test, type TestContext } from 'node:test'
import pg from 'pg'
import {
  createSchema,
  openPostgresServer,
  query,
  withoutPostgres,
  type PostgresServer,
} from '../postgres-server.ts'
import { entriesContract } from '../../src/stores/idempotency/idempotency.contract.ts'
import { createIdempotencyEntries } from '../../src/stores/idempotency/idempotency.ts'
import { openPostgresDatabase } from '../../src/stores/postgres/database.ts'
import { createDatabaseSessions } from '../../src/stores/sessions/database.ts'
import { sessionsContract } from '../../src/stores/sessions/sessions.contract.ts'
import { statesContract } from '../../src/stores/states/states.contract.ts'
import { openPostgresRecords } from '../../src/stores/records/postgres/records.ts'
import { allRecords } from '../../src/stores/records/records.ts'
import { changesContract } from '../../src/stores/records/changes.contract.ts'
import { commitContract, type OpenTwice } from '../../src/stores/records/commit.contract.ts'
import { recordsContract } from '../../src/stores/records/records.contract.ts'
import { capacityContract } from '../../src/stores/records/capacity.contract.ts'

const noon = '2026-01-01T12:00:00.000Z'

suite('PostgreSQL', { skip: withoutPostgres }, () => {
  let server: PostgresServer
  before(async () => {
    server = await openPostgresServer()
  })
  after(() => server.remove())

  const openEmpty = async (t: TestContext) => openRecords(t, await createSchema(server.url))
  recordsContract('PostgreSQL', openEmpty)
  const openTwice: OpenTwice = async (t) => {
    const url = await createSchema(server.url)
    return [await openRecords(t, url), await openRecords(t, url)]
  }
  commitContract('PostgreSQL', openTwice)
  changesContract('PostgreSQL', openTwice)
  statesContract('PostgreSQL', openTwice)
  capacityContract('PostgreSQL', async (t, maxRecords) =>
    openRecords(t, await createSchema(server.url), maxRecords),
  )
  sessionsContract('PostgreSQL', async (t) =>
    createDatabaseSessions((await openEmpty(t)).collection('any')),
  )
  entriesContract('PostgreSQL', async (t) =>
    createIdempotencyEntries((await openEmpty(t)).collection('any')),
  )

  test('a database that is opened again has all its records', async (t) => {
    const url = await createSchema(server.url)
    const users = (await openRecords(t, url)).collection('users')
    await users.create({ id: 'a', document: { name: 'Ann' }, createdAt: noon })
    await users.change({ id: 'a', version: 1, document: { n: 1 }, updatedAt: noon })
    const again = (await openRecords(t, url)).collection('users')
    assert.deepEqual(await again.find('a'), await users.find('a'))
    assert.equal(await again.count(allRecords), 1)
  })

  test('of ten processes that open a new database at once each finds it migrated, and indexes are made once', async (t) => {
    const url = await createSchema(server.url)
    await openTen(t, url)
    const rows = await query(url, 'SELECT version FROM vitrine_schema')
    assert.deepEqual(rows, [{ version: 1 }, { version: 2 }, { version: 3 }, { version: 4 }])
  })

  test('a database of version 0.1.0 keeps its records', async (t) => {
    const url = await createSchema(server.url)
    const names = ['\x01', '\x02\x01\x03', '\\u0001\x03', 'a']
    const records = await openRecords(t, url)
    for (const [index, name] of names.entries()) {
      await records
        .collection('users')
        .create({ id: String(index), document: { name }, createdAt: noon })
    }
    for (const [index, name] of names.entries()) {
      const keys = JSON.stringify({ name: `1${toOldSpelling(name)}` })
      await query(
        url,
        `UPDATE records SET keys = ${pg.escapeLiteral(keys)} WHERE id = '${String(index)}'`,
      )
    }
    await query(
      url,
      `CREATE INDEX records_by_name ON records (resource)`,
      `CREATE INDEX records_of_users_by_name ON records ((keys ->> 'name'))`,
      'DELETE FROM vitrine_schema WHERE version >= 2',
    )
    const again = (await openRecords(t, url)).collection('users')
    await again.index(['name'])
    for (const name of names) {
      await t.test(name, async () => {
        const filters = [{ field: 'name', operator: 'eq', values: [name] }] as const
        const found = await again.list({ filters, sort: [] }, { offset: 0, limit: 9 })
        const results = found.map(({ document }) => document.name)
        assert.deepEqual(results, [name])
      })
    }
    const indexes = await query(
      url,
      `SELECT indexname FROM pg_indexes WHERE tablename = 'records' AND schemaname = current_schema()`,
    )
    assert.deepEqual(
      indexes.filter(({ indexname }) => /^records_(of_|by_name)/.test(String(indexname))),
      [],
    )
  })

  test('a database of a newer schema is rejected with a reason and not changed', async () => {
    const url = await createSchema(server.url)
    await query(
      url,
      'CREATE TABLE vitrine_schema (version integer PRIMARY KEY)',
      'INSERT INTO vitrine_schema VALUES (99)',
    )
    await assert.rejects(openPostgresDatabase(url), /newer Vitrine.*99/)
    const tables = `SELECT tablename FROM pg_tables WHERE schemaname = current_schema()`
    assert.deepEqual(await query(url, tables), [{ tablename: 'vitrine_schema' }])
  })

  test('a database that cannot store every text is rejected', async () => {
    const name = 'latin'
    const options = `TEMPLATE template0 ENCODING LATIN1 LOCALE 'C' LOCALE_PROVIDER libc`
    await query(server.url, `CREATE DATABASE ${name} ${options}`)
    const url = server.url.replace('/postgres', `/${name}`).replace('vitrine@', 'vitrine:secret@')
    await assert.rejects(openPostgresDatabase(url), (error: Error) => {
      assert.match(error.message, /LATIN1/)
      assert.doesNotMatch(error.message, /secret/)
      return true
    })
  })

  test('concurrent creations and removals are all counted', async (t) => {
    const url = await createSchema(server.url)
    const stores = [await openRecords(t, url), await openRecords(t, url)]
    const ids = Array.from({ length: 300 }, (_, index) => String(index))
    const store = (id: string) => stores[Number(id) % 2] ?? assert.fail()
    await Promise.all(
      ids.map((id) => store(id).collection('users').create({ id, document: {}, createdAt: noon })),
    )
    await Promise.all(ids.slice(0, 100).map((id) => store(id).collection('users').remove(id)))
    assert.equal(await stores[0]?.collection('users').count(allRecords), 200)
  })

  test('transactions that the server aborts for others are repeated', async (t) => {
    const url = await createSchema(server.url)
    const users = (
      await openRecords(t, `${url}%20-cdefault_transaction_isolation%3Dserializable`)
    ).collection('users')
    await users.create({ id: 'a', document: {}, createdAt: noon })
    const changes = Array.from({ length: 20 }, (_, racer) =>
      users.change({ id: 'a', version: 1, document: { racer }, updatedAt: noon }),
    )
    assert.equal((await Promise.all(changes)).filter(Boolean).length, 1)
  })

  /** Like ten replicas, each with its own connections and statements. */
  async function openTen(t: TestContext, url: string): Promise<void> {
    const stores = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const records = await openRecords(t, url)
        await records.collection('users').index(['name', 'size'])
        return records
      }),
    )
    for (const [index, records] of stores.entries()) {
      const record = { id: String(index), document: {}, createdAt: noon }
      assert.equal(await records.collection('users').create(record), true)
    }
    assert.equal(await stores[0]?.collection('users').count(allRecords), 10)
  }
})

async function openRecords(t: TestContext, url: string, maxRecords?: number) {
  const { records, close } = await openPostgresRecords(url, maxRecords)
  t.after(close)
  return records
}

/** How version 0.1.0 stored these characters in keys. */
const oldSpellings = ['', '\x01\x02\x03', '\x01\x03\x02', '\x01\x03\x03']

function toOldSpelling(text: string): string {
  // eslint-disable-next-line no-control-regex -- the test is about control characters
  return text.replace(/[\x01-\x03]/g, (character) => oldSpellings[character.charCodeAt(0)] ?? '')
}
