import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { failedStart } from '../support/failed-start.ts'
import { startPgBouncer, withoutPgBouncer } from '../support/pgbouncer.ts'
import { openPostgresServer, query, type PostgresServer } from '../support/postgres-server.ts'
import { startVitrine, temporaryFolder } from '../support/start-vitrine.ts'
import { until } from '../support/until.ts'
import { asJson, listOf, openClient } from '../support/client.ts'

const limit = { timeout: 300_000 }

suite('PgBouncer', { skip: withoutPgBouncer }, () => {
  let server: PostgresServer
  before(async () => {
    server = await openPostgresServer()
  })
  after(() => server.remove())

  test('PgBouncer in session mode works like a server', limit, async (t) => {
    const url = await startPgBouncer(t, server.url, { poolMode: 'session' })
    const { origin } = await startVitrine(t, { DATABASE_URL: url, LOG_LEVEL: 'silent' })
    const clients = Array.from({ length: 30 }, () => openClient(t, origin))
    const put = asJson('PUT', { name: 'Rome' })
    const creations = clients.map((send, index) =>
      // On a busy machine so many new connections may take longer than a request waits.
      until(async () =>
        [200, 201].includes((await send(`/locations/${String(index)}`, put)).status),
      ),
    )
    await Promise.all(creations)
    const [send = assert.fail()] = clients
    assert.equal((await listOf(send, '/locations')).length, clients.length)
    assert.equal((await send('/locations/1', { method: 'DELETE' })).status, 200)
  })

  const rows = [
    ['transactions', 'transaction', {}],
    ['transactions, over its connections in turn', 'transaction', { server_round_robin: '1' }],
    ['statements', 'statement', {}],
  ] as const
  for (const [title, poolMode, settings] of rows) {
    test(`PgBouncer that pools ${title} stops the start with one line`, limit, async (t) => {
      const url = await startPgBouncer(t, server.url, { poolMode, settings })
      // Connections of the pool that others have left.
      await Promise.all([1, 2, 3].map(() => query(url, 'SELECT pg_sleep(0.1)')))
      const files = `file:${join(await temporaryFolder(t), 'files')}`
      const { status, lines } = await failedStart(t, { DATABASE_URL: url, FILES_URL: files })
      assert.equal(status, 2)
      assert.equal(lines.length, 1, lines.join('\n'))
      assert.match(lines[0] ?? '', /^vitrine: cannot start: DATABASE_URL cannot be opened: .*pool/)
    })
  }
})
