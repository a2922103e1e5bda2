import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { after, before, suite, test, type TestContext } from 'node:test'
import {
  createSchema,
  openPostgresServer,
  query,
  withoutPostgres,
  type PostgresServer,
} from '../support/postgres-server.ts'
import { startVitrine } from '../support/start-vitrine.ts'
import { until } from '../support/until.ts'
import { asJson, listOf, openClient, toCookie, type Send } from '../support/client.ts'
import { createLedger, type Ledger } from './ledger.ts'

const rounds = Number(process.env.FAULT_ROUNDS ?? 8)
const user = { username: 'ann', password: 'a password' }
const limit = { timeout: 600_000 }
const sessionsOfKilled = "SELECT pid FROM pg_stat_activity WHERE application_name = 'killed'"

suite('replicas on PostgreSQL', { skip: withoutPostgres }, () => {
  let server: PostgresServer
  before(async () => {
    server = await openPostgresServer()
  })
  after(() => server.remove())

  async function startTwo(t: TestContext) {
    const url = await createSchema(server.url)
    const start = (name: string) =>
      startVitrine(t, { DATABASE_URL: `${url}&application_name=${name}`, LOG_LEVEL: 'silent' })
    const [one, other] = await Promise.all([start('one'), start('other')])
    return { one, other, start, senders: [openClient(t, one.origin), openClient(t, other.origin)] }
  }

  test(
    'of twenty concurrent writes with one tag to two replicas, one succeeds',
    limit,
    async (t) => {
      const { one, other, senders } = await startTwo(t)
      const [send] = senders as [Send, Send]
      await send('/locations/rome', asJson('PUT', { name: 'Rome' }))
      const etag = (await send('/locations/rome')).headers.etag ?? ''
      const responses = await Promise.all(
        Array.from({ length: 20 }, async (_, racer) => {
          const { headers, ...patch } = asJson('PATCH', { note: String(racer) })
          const client = openClient(t, (racer % 2 ? one : other).origin)
          const conditional = { ...patch, headers: { ...headers, 'if-match': etag } }
          return (await client('/locations/rome', conditional)).status
        }),
      )
      assert.equal(responses.filter((status) => status === 200).length, 1)
      assert.equal(responses.filter((status) => status === 412).length, 19)
      for (const replica of senders) {
        const { note } = JSON.parse((await replica('/locations/rome')).text) as { note: string }
        assert.equal(note, String(responses.indexOf(200)))
      }
    },
  )

  test('a login on one replica is valid on the other, until a logout there', limit, async (t) => {
    const [send, other] = (await startTwo(t)).senders as [Send, Send]
    await send('/users', asJson('POST', { name: user.username, password: user.password }))
    const cookie = toCookie(await other('/login', asJson('POST', user)))
    const isKnown = async (replica: Send) =>
      /"authenticated":true/.test((await replica('/session', { headers: { cookie } })).text)
    assert.deepEqual([await isKnown(send), await isKnown(other)], [true, true])
    await send('/logout', { method: 'POST', headers: { cookie } })
    assert.deepEqual([await isKnown(send), await isKnown(other)], [false, false])
  })

  test('a replica that is repeatedly killed loses no acknowledged write', limit, async (t) => {
    const { start, senders } = await startTwo(t)
    const [, survivor] = senders as [Send, Send]
    const ledger = createLedger('location')
    const losses: string[] = []
    for (let round = 1; round <= rounds; round += 1) {
      const { origin, process: child } = await start('killed')
      const enough = ledger.writes() + randomInt(20, 100)
      const writers = [1, 2, 3, 4].map((writer) =>
        writeLocations(openClient(t, origin), ledger, {
          prefix: `${String(round)}-${String(writer)}`,
          isOver: () => child.killed,
        }),
      )
      const ended = Promise.allSettled(writers)
      await until(() => ledger.writes() >= enough)
      child.kill('SIGKILL')
      await Promise.all([ended, once(child, 'exit')])
      // The server may still commit a statement that it received before the kill.
      await until(async () => (await query(server.url, sessionsOfKilled)).length === 0)
      losses.push(...ledger.compare(await findLocations(survivor)))
    }
    t.diagnostic(
      `${String(rounds)} rounds, ${String(ledger.writes())} writes, ${String(losses.length)} lost`,
    )
    assert.deepEqual(losses, [])
  })
})

suite('failover of PostgreSQL', { skip: withoutPostgres }, () => {
  /** The failures of a primary that a standby replaces. */
  const ends: Record<string, (primary: PostgresServer) => Promise<void>> = {
    crashes: (primary) => primary.stop('SIGQUIT'),
    freezes: async (primary) => {
      primary.freeze()
    },
  }
  for (const [title, end] of Object.entries(ends)) {
    test(`a primary that ${title} under load loses no acknowledged write`, limit, (t) =>
      failOver(t, end),
    )
  }

  async function failOver(t: TestContext, end: (primary: PostgresServer) => Promise<void>) {
    const primary = await openPostgresServer()
    t.after(() => primary.remove())
    const name = 'standby'
    const standby = await openPostgresServer({ primary: { url: primary.url, name } })
    t.after(() => standby.remove())
    const wait = `ALTER SYSTEM SET synchronous_standby_names = '${name}'`
    await query(primary.url, wait, 'SELECT pg_reload_conf()')
    const state = `SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'`
    await until(async () => (await query(primary.url, state)).length === 1)

    const [first, second] = [new URL(primary.url).host, new URL(standby.url).host]
    const url = `postgres://vitrine@${first},${second}/postgres?target_session_attrs=read-write`
    const start = () => startVitrine(t, { DATABASE_URL: url, LOG_LEVEL: 'silent' })
    const replicas = await Promise.all([start(), start()])
    const ledgers = replicas.map(() => createLedger('location'))
    const writes = () => ledgers.map((ledger) => ledger.writes())
    const hasMore = (before: readonly number[]) =>
      writes().every((count, replica) => count > (before[replica] ?? 0) + 20)
    let isOver = false
    const writers = replicas.flatMap(({ origin }, replica) =>
      [1, 2].map((writer) =>
        writeLocations(openClient(t, origin), ledgers[replica] ?? assert.fail(), {
          prefix: `${String(replica)}-${String(writer)}`,
          isOver: () => isOver,
        }),
      ),
    )
    await until(() => hasMore([0, 0]))
    await end(primary)
    const begin = performance.now()
    await query(standby.url, 'SELECT pg_promote()')
    const before = writes()
    await until(() => hasMore(before))
    t.diagnostic(`twenty writes at each replica ${(performance.now() - begin).toFixed()} ms later`)
    isOver = true
    await Promise.all(writers)
    const found = await findLocations(openClient(t, replicas[0].origin))
    for (const [replica, ledger] of ledgers.entries()) {
      const own = [...found].filter(([location]) => location.startsWith(`${String(replica)}-`))
      assert.deepEqual(ledger.compare(new Map(own)), [])
    }
    t.diagnostic(`${String(writes())} writes, none lost`)
  }
})

/** Creates and changes its own locations until the end; an error acknowledges nothing. */
async function writeLocations(
  send: Send,
  ledger: Ledger,
  { prefix, isOver }: { prefix: string; isOver: () => boolean },
): Promise<void> {
  for (let count = 1; !isOver(); count += 1) {
    const name = `${prefix}-${String(count)}`
    for (const note of ['created', 'changed']) {
      const write = async () => {
        const { status, text } = await send(`/locations/${name}`, asJson('PUT', { name, note }))
        if (status === 503) throw new Rejected()
        assert.ok(status === 200 || status === 201, text)
      }
      const isDone = await ledger.record(name, note, write).then(
        () => true,
        (error: unknown) => {
          if (error instanceof Rejected) return false
          throw error
        },
      )
      if (!isDone) break
    }
  }
}

class Rejected extends Error {}

async function findLocations(send: Send): Promise<Map<string, string>> {
  const locations = await listOf<{ name: string; note: string }>(send, '/locations')
  return new Map(locations.map(({ name, note }) => [name, note]))
}
