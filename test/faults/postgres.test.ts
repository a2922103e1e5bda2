import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, suite, test, type TestContext } from 'node:test'
import pg from 'pg'
import {
  createSchema,
  openPostgresServer,
  query,
  withoutPostgres,
  type PostgresServer,
} from '../support/postgres-server.ts'
import { startVitrine } from '../support/start-vitrine.ts'
import { until } from '../support/until.ts'
import { asFile, asJson, listOf, openClient, toCookie, type Send } from '../support/client.ts'

const rome = { name: 'Rome' }
const user = { username: 'ann', password: 'a password' }
/** The timeout is two seconds; without it the request would never end. */
const patienceMs = 60_000
const limit = { timeout: 300_000 }

suite('PostgreSQL that fails', { skip: withoutPostgres }, () => {
  let server: PostgresServer
  before(async () => {
    server = await openPostgresServer()
  })
  after(() => server.remove())

  /** The service with one location and one user in it. */
  async function startWithRecords(t: TestContext) {
    const url = await createSchema(server.url)
    const vitrine = await startVitrine(t, { DATABASE_URL: url })
    const connect = () => openClient(t, vitrine.origin)
    const send = connect()
    await send('/locations/rome', asJson('PUT', rome))
    await send('/users', asJson('POST', { name: user.username, password: user.password }))
    const cookie = toCookie(await send('/login', asJson('POST', user)))
    return { ...vitrine, url, connect, send, cookie }
  }

  /** Requests that need the database get 503 soon, and others succeed. */
  async function assertUnavailable(
    t: TestContext,
    { connect, cookie }: { connect: () => Send; cookie: string },
  ): Promise<void> {
    const requests = [
      ['/locations', {}],
      ['/locations/rome', {}],
      ['/locations', asJson('POST', rome)],
      ['/locations/rome', asJson('PATCH', { note: 'changed' })],
      ['/locations/rome', { method: 'DELETE' }],
      ['/login', asJson('POST', user)],
      ['/profile', asFile(Buffer.from('glass'))],
      ['/session', { headers: { cookie } }],
    ] as const
    const ms = await Promise.all(
      requests.map(async ([path, request]) => {
        const begin = performance.now()
        const { status, headers, text } = await connect()(path, request)
        assert.equal(status, 503, `${path}: ${text}`)
        assert.match(headers['retry-after'] ?? '', /^\d+$/)
        assert.doesNotMatch(text, /postgres|ECONN|SELECT|127\.0\.0\.1:\d+ -|timeout/i)
        return performance.now() - begin
      }),
    )
    t.diagnostic(`503 after ${Math.max(...ms).toFixed()} ms at most`)
    assert.ok(Math.max(...ms) < patienceMs)
    for (const path of ['/health', '/', '/mirror/query']) {
      assert.equal((await connect()(path)).status, 200, path)
    }
  }

  async function assertHealed({ connect, cookie }: { connect: () => Send; cookie: string }) {
    const send = connect()
    await until(async () => (await send('/locations/rome')).status === 200)
    assert.equal((await send('/locations/oslo', asJson('PUT', rome))).status, 201)
    assert.match((await send('/session', { headers: { cookie } })).text, /"authenticated":true/)
    assert.equal((await listOf(send, '/locations')).length, 2)
  }

  test(
    'requests get 503 while the server is stopped, and succeed when it is back',
    limit,
    async (t) => {
      const services = await startWithRecords(t)
      for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
        await server.stop(signal)
        await assertUnavailable(t, services)
        await server.start()
        await until(async () => (await services.send('/locations/rome')).status === 200)
      }
      await assertHealed(services)
      assert.equal(services.process.exitCode, null)
    },
  )

  test(
    'requests get 503 while the server is frozen, and succeed when it continues',
    limit,
    async (t) => {
      const services = await startWithRecords(t)
      server.freeze()
      t.after(() => {
        server.thaw()
      })
      // First with connections that there are, then with new ones.
      await assertUnavailable(t, services)
      await assertUnavailable(t, services)
      server.thaw()
      // Requests sent during the freeze have no effect afterwards, or their whole effect.
      await until(async () => [200, 404].includes((await services.send('/locations/rome')).status))
      await services.send('/locations/rome', asJson('PUT', rome))
      for (const { _id } of await listOf<{ _id: string }>(services.send, '/locations')) {
        if (_id !== 'rome') await services.send(`/locations/${_id}`, { method: 'DELETE' })
      }
      await assertHealed(services)
      assert.equal(services.process.exitCode, null)
    },
  )

  test('a burst of requests waits for free connections', limit, async (t) => {
    const { url, connect } = await startWithRecords(t)
    // Each of the ten connections waits a second, and no request may wait longer for the server.
    const locked = query(
      url,
      'BEGIN; LOCK TABLE records IN EXCLUSIVE MODE; SELECT pg_sleep(1); COMMIT',
    )
    const isLocked = `SELECT count(*) FROM pg_locks WHERE mode = 'ExclusiveLock' AND relation = 'records'::regclass`
    await until(async () => (await query(url, isLocked))[0]?.count !== '0')
    const send = async () => (await connect()('/locations', asJson('POST', rome))).status
    const statuses = await Promise.all(Array.from({ length: 40 }, send))
    assert.deepEqual(new Set(statuses), new Set([201]))
    await locked
  })

  test('the process stops while the server is frozen', limit, async (t) => {
    const services = await startWithRecords(t)
    server.freeze()
    t.after(() => {
      server.thaw()
    })
    services.process.kill('SIGTERM')
    await once(services.process, 'exit')
    assert.equal(services.process.exitCode, 0)
  })

  test('connections that end under load fail only the requests on them', limit, async (t) => {
    const services = await startWithRecords(t)
    let isOver = false
    const statuses = new Map<number, number>()
    const clients = Array.from({ length: 8 }, async (_, index) => {
      const send = services.connect()
      while (!isOver) {
        const write = asJson('PUT', { name: String(index) })
        const { status } = await send(`/locations/${String(index)}`, write)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    })
    const others =
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = current_user'
    for (let round = 1; round <= 5; round += 1) {
      const before = statuses.get(200) ?? 0
      await query(server.url, `${others} AND pid <> pg_backend_pid()`)
      await until(() => (statuses.get(200) ?? 0) > before + 20)
    }
    isOver = true
    await Promise.all(clients)
    t.diagnostic(JSON.stringify([...statuses]))
    const unexpected = [...statuses.keys()].filter((status) => ![200, 201, 503].includes(status))
    assert.deepEqual(unexpected, [])
    assert.equal(services.process.exitCode, null)
    assert.equal((await services.send('/locations/rome')).status, 200)
  })

  test(
    'a write to a record that another process has locked gets 503, and others succeed',
    limit,
    async (t) => {
      const { url, connect } = await startWithRecords(t)
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      t.after(() => client.end())
      await client.query('BEGIN')
      await client.query(`UPDATE records SET version = version WHERE id = 'rome'`)
      const patch = connect()('/locations/rome', asJson('PATCH', { note: 'changed' }))
      assert.equal((await connect()('/locations/rome')).status, 200)
      assert.equal((await connect()('/locations/oslo', asJson('PUT', rome))).status, 201)
      assert.equal((await patch).status, 503)
      await client.query('ROLLBACK')
      const again = connect()('/locations/rome', asJson('PATCH', { note: 'changed' }))
      assert.equal((await again).status, 200)
    },
  )

  /** Makes the database reject creations with the code while `condition` is true. */
  async function blockCreation(url: string, code: string, condition = 'true'): Promise<void> {
    await query(
      url,
      'CREATE SEQUENCE attempts',
      `CREATE FUNCTION reject() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN
         IF ${condition} THEN RAISE 'rejected' USING ERRCODE = '${code}'; END IF;
         RETURN new;
       END $$`,
      'CREATE TRIGGER reject BEFORE INSERT ON records FOR EACH ROW EXECUTE FUNCTION reject()',
    )
  }

  for (const code of ['40001', '40P01']) {
    test(`a write that is aborted for another (${code}) is repeated, a limited number of times`, async (t) => {
      const { url, send } = await startWithRecords(t)
      await blockCreation(url, code, `nextval('attempts') < 4`)
      assert.equal((await send('/locations', asJson('POST', rome))).status, 201)
      await query(url, 'ALTER SEQUENCE attempts RESTART MINVALUE -1000000 START -1000000')
      assert.equal((await send('/locations', asJson('POST', rome))).status, 503)
      const [row] = await query(url, 'SELECT last_value + 1000000 AS count FROM attempts')
      assert.ok(Number(row?.count) < 20)
      assert.equal((await listOf(send, '/locations')).length, 2)
    })
  }

  for (const code of ['55000', '42501', '42P01']) {
    test(`a write that fails with ${code} gets 503, and reads succeed`, async (t) => {
      const { url, send } = await startWithRecords(t)
      await blockCreation(url, code)
      assert.equal((await send('/locations', asJson('POST', rome))).status, 503)
      assert.equal((await send('/locations')).status, 200)
    })
  }

  test('a full disk gets 507', async (t) => {
    const { url, send } = await startWithRecords(t)
    await blockCreation(url, '53100')
    assert.equal((await send('/locations', asJson('POST', rome))).status, 507)
    assert.equal((await send('/locations')).status, 200)
  })
})
