import assert from 'node:assert/strict'
import { after, before, suite, test, type TestContext } from 'node:test'
import {
  createSchema,
  openPostgresServer,
  query,
  withoutPostgres,
  type PostgresServer,
} from '../support/postgres-server.ts'
import { archiveContract } from '../../src/stores/archive/archive.contract.ts'
import { createPostgresArchive } from '../../src/stores/archive/postgres.ts'
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
import { queriesContract, recordsContract } from '../../src/stores/records/records.contract.ts'
import { capacityContract } from '../../src/stores/records/capacity.contract.ts'

/** Their notes are in the reverse order of their numbers. */
const insertMany = `INSERT INTO records SELECT 'users', 'u' || number, '{}',
  jsonb_build_object('note', '1' || lpad((9999 - number)::text, 4, '0')), 1, '', ''
  FROM generate_series(1, 2500) AS number`
const byNote = [{ field: ['note'], isDescending: false }]

const noon = '2026-01-01T12:00:00.000Z'

suite('PostgreSQL', { skip: withoutPostgres }, () => {
  let server: PostgresServer
  before(async () => {
    server = await openPostgresServer()
  })
  after(() => server.remove())

  const openEmpty = async (t: TestContext) => openRecords(t, await createSchema(server.url))
  recordsContract('PostgreSQL', openEmpty)
  queriesContract('PostgreSQL', openEmpty)
  const openTwice: OpenTwice = async (t) => {
    const url = await createSchema(server.url)
    return [await openRecords(t, url), await openRecords(t, url)]
  }
  commitContract('PostgreSQL', openTwice)
  changesContract('PostgreSQL', openTwice)
  statesContract('PostgreSQL', openTwice)
  archiveContract('PostgreSQL', async (t) => {
    const url = await createSchema(server.url)
    return {
      archive: createPostgresArchive(url, ['uploads']),
      useRecords: async (work) => work(await openRecords(t, url)),
    }
  })
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
    assert.deepEqual(rows, [{ version: 4 }])
  })

  test('a database of version 0.2.0 opens, and one of 0.1 is rejected with a reason', async (t) => {
    const url = await createSchema(server.url)
    const users = (await openRecords(t, url)).collection('users')
    await users.create({ id: 'a', document: { name: 'Ann' }, createdAt: noon })
    // Version 0.2.0 has a row for each of its changes of the tables, which are the same.
    await query(url, 'INSERT INTO vitrine_schema VALUES (1), (2), (3)')
    const again = (await openRecords(t, url)).collection('users')
    assert.deepEqual(await again.find('a'), await users.find('a'))
    await query(url, 'DELETE FROM vitrine_schema WHERE version > 1')
    await assert.rejects(openRecords(t, url), /it was made by Vitrine 0\.1\./)
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

  test('twelve clients that stop reading sorted lists leave connections to others, and no transaction', async (t) => {
    const url = await createSchema(server.url)
    const users = (await openRecords(t, url)).collection('users')
    await query(url, insertMany)
    const readers = Array.from({ length: 12 }, () => ({
      pages: users.pages({ filters: [], sort: byNote })[Symbol.asyncIterator](),
      ids: new Array<string>(),
    }))
    const readOn = async ({ pages, ids }: (typeof readers)[number], end: number) => {
      while (ids.length < end) {
        const next = await pages.next()
        if (next.done === true) break
        ids.push(...next.value.map(({ id }) => id))
      }
    }
    for (const reader of readers) await readOn(reader, 1100)
    assert.equal(await users.create({ id: 'new', document: {}, createdAt: noon }), true)
    const open = `SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = current_user
      AND (state LIKE 'idle in transaction%' OR backend_xmin IS NOT NULL)`
    assert.deepEqual(await query(url, open), [])
    const [left, ...others] = readers
    await left?.pages.return?.()
    for (const reader of others) await readOn(reader, Infinity)
    const expected = Array.from({ length: 2500 }, (_, index) => `u${String(2500 - index)}`)
    // Those that read last, in parts, find the record that was created since.
    for (const { ids } of others)
      assert.deepEqual(
        ids.filter((id) => id !== 'new'),
        expected,
      )
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
  const { records, close } = await openPostgresRecords(url, { maxRecords })
  t.after(close)
  return records
}
