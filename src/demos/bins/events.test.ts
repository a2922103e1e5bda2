import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, suite, test, type TestContext } from 'node:test'
import { createBin, type Captured, type NewBin } from '../../../test/support/bins.ts'
import { openEvents } from '../../../test/support/event-stream.ts'
import {
  createSchema,
  openPostgresServer,
  withoutPostgres,
  type PostgresServer,
} from '../../../test/support/postgres-server.ts'
import { settingsIn, startVitrine, temporaryFolder } from '../../../test/support/start-vitrine.ts'
import { findStatements } from '../../../test/support/statements.ts'
import { testApp } from '../../../test/support/test-app.ts'
import { until } from '../../../test/support/until.ts'

async function openBin(t: TestContext, settings: Record<string, string> = {}) {
  const app = await testApp(t, { settings })
  const bin = await createBin(app)
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const { authorization } = bin
  const open = (lastId?: string, query = '') =>
    openEvents(t, `${origin}/bins/${bin.id}/events${query}`, { authorization, lastId })
  return { app, bin, origin, open }
}

test('a captured request is an event, and so is its removal; those of other bins are not', async (t) => {
  const { app, bin, open } = await openBin(t)
  const stream = await open()
  assert.equal(stream.response.headers.get('cache-control'), 'no-store')
  await (await createBin(app)).send('/other')
  await bin.send('/a?b', { method: 'POST', payload: 'text', headers: { 'content-type': 'a/b' } })
  const created = await stream.next()
  const [captured] = await bin.list()
  const { id = '', receivedAt = '' } = captured ?? {}
  assert.equal(created?.name, 'created')
  assert.deepEqual(created.value, {
    id,
    receivedAt,
    client: '127.0.0.1',
    method: 'POST',
    type: 'a/b',
    size: 4,
    target: `/b/${bin.id}/a?b`,
    path: '/a?b',
    status: 200,
  })
  await bin.read(`/requests/${id}`, { method: 'DELETE' })
  const deleted = await stream.next()
  assert.deepEqual([deleted?.name, deleted?.value], ['deleted', { id }])
})

test('the stream of a bin that is removed ends', async (t) => {
  const { bin, open } = await openBin(t)
  const stream = await open()
  await bin.send('/a')
  assert.equal((await stream.next())?.name, 'created')
  assert.equal((await bin.read('', { method: 'DELETE' })).statusCode, 204)
  assert.equal(await stream.next(), undefined)
})

test('Last-Event-ID resumes, and a client that missed requests is told which was its last', async (t) => {
  const { bin, open } = await openBin(t)
  const stream = await open()
  await bin.send('/1')
  const first = await stream.next()
  stream.close()
  await bin.send('/2')
  const resumed = await open(first?.id)
  assert.equal((await resumed.next())?.name, 'created')
  const reset = await (await open('5')).next()
  assert.deepEqual([reset?.name, reset?.value], ['reset', {}])
})

test('a client that resumes does not receive a request that was removed in between', async (t) => {
  const { bin, open } = await openBin(t)
  const stream = await open()
  stream.close()
  await bin.send('/1')
  assert.equal((await bin.read('/requests', { method: 'DELETE' })).statusCode, 204)
  const resumed = await open(stream.lastId())
  assert.equal((await resumed.next())?.name, 'deleted')
})

test('the stream of a page has the rows that match its filters, removals, and the end', async (t) => {
  const { bin, open } = await openBin(t)
  const stream = await open(undefined, '?rows=html&q=needle&method=POST&path=/a&status=2xx')
  for (const path of ['/b', '/a']) {
    await bin.send(path, { method: 'POST', payload: 'hay' })
    await bin.send(path, { method: 'POST', payload: '<needle>\n\t&amp;' })
  }
  const created = await stream.next()
  assert.equal(created?.name, 'exchange')
  const { id, html } = created.value as { id: string; html: string }
  assert.match(html, /<code>\/a<\/code><\/a> <bdi class="preview">&lt;needle&gt; &amp;amp;<\/bdi>/)
  await bin.read(`/requests/${id}`, { method: 'DELETE' })
  const deleted = await stream.next()
  assert.deepEqual([deleted?.name, deleted?.value], ['deleted', { id }])
  await bin.read('', { method: 'DELETE' })
  let last = await stream.next()
  while (last?.name === 'deleted') last = await stream.next()
  assert.equal(last?.name, 'gone')
  assert.equal(await stream.next(), undefined)
})

test('a list waits for a request that fits, and ends without one', async (t) => {
  const { bin } = await openBin(t)
  await bin.send('/early')
  const waiting = bin.list('?wait=30&method=POST&path=/late')
  await bin.send('/late')
  await bin.send('/other', { method: 'POST' })
  await bin.send('/late', { method: 'POST' })
  assert.deepEqual(
    (await waiting).map(({ path, method }) => [path, method]),
    [['/late', 'POST']],
  )
  assert.deepEqual(await bin.list('?wait=1&path=/never'), [])
})

test('clients that wait read a new request, and not all requests of the bin again', async (t) => {
  // Only SQLite publishes its statements.
  const { bin } = await openBin(t, { DATABASE_URL: 'sqlite::memory:' })
  const [old, clients, later] = [300, 10, 20]
  for (let count = 0; count < old; count += 1) await bin.send('', { method: 'POST', payload: 'x' })
  let read = 0
  await findStatements(
    async () => {
      const waiting = Array.from({ length: clients }, () => bin.list('?wait=60&contains=needle'))
      await until(() => read >= clients * old)
      read = 0
      for (let count = 0; count < later; count += 1) await bin.send('/hay')
      await bin.send('/needle')
      for (const found of await Promise.all(waiting))
        assert.deepEqual(
          found.map(({ path }) => path),
          ['/needle'],
        )
    },
    (sql) => {
      if (/^SELECT .*\bid IN /.test(sql)) read += sql.split(`'${bin.id}-`).length - 1
    },
  )
  // Each reads all once more, for its response.
  assert.ok(read <= clients * (old + 2 * (later + 1)), String(read))
})

test('a page shows a request that was captured before its stream began', async (t) => {
  const { bin, origin } = await openBin(t)
  const page = await bin.read('', { headers: { accept: 'text/html' } })
  const [, url = ''] = /data-events="([^"]*)"/.exec(page.body) ?? []
  await bin.send('/between')
  const headers = { authorization: bin.authorization }
  const { take } = await openEvents(t, origin + url.replaceAll('&amp;', '&'), headers)
  const [event] = await take(1)
  assert.match(JSON.stringify(event), /between/)
})

/** A webhook to one process, watched and awaited at others. */
async function assertShared(t: TestContext, origins: readonly string[]): Promise<void> {
  const origin = (index: number) => origins[index % origins.length] ?? ''
  const created = await fetch(`${origin(0)}/bins`, { method: 'POST' })
  const { id, secret } = (await created.json()) as NewBin
  const headers = { authorization: `Bearer ${secret}` }
  const streams = await Promise.all(
    Array.from({ length: 4 }, (_, index) =>
      openEvents(t, `${origin(index)}/bins/${id}/events`, headers),
    ),
  )
  const waiting = Array.from({ length: 4 }, async (_, index) => {
    const response = await fetch(`${origin(index)}/bins/${id}/requests?wait=60&path=/9`, {
      headers,
    })
    return (await response.json()) as Captured[]
  })
  const numbers = Array.from({ length: 40 }, (_, index) => index)
  const send = (number: number) =>
    // A database that is busy for too long gets 503, after which a sender repeats its webhook.
    until(async () => {
      const response = await fetch(`${origin(number)}/b/${id}/${String(number)}`, {
        method: 'POST',
      })
      assert.ok([200, 503].includes(response.status), await response.text())
      return response.ok
    })
  for (let sent = 0; sent < numbers.length; sent += 4)
    await Promise.all(numbers.slice(sent, sent + 4).map(send))
  const received = await Promise.all(streams.map(({ take }) => take(numbers.length)))
  const ids = received.map((events) => events.map((event) => (event?.value as Captured).id))
  for (const one of ids) assert.deepEqual(one, ids[0])
  assert.equal(new Set(ids[0]).size, numbers.length)
  for (const found of await Promise.all(waiting)) assert.equal(found[0]?.path, '/9')
  const list = await fetch(`${origin(1)}/bins/${id}/requests`, { headers })
  assert.deepEqual(
    ((await list.json()) as Captured[]).map((one) => one.id),
    ids[0]?.toSorted(),
  )
}

test('processes on one SQLite file share the requests of a bin', async (t) => {
  const settings = { LOG_LEVEL: 'silent', ...settingsIn(await temporaryFolder(t)) }
  const [one, other] = [await startVitrine(t, settings), await startVitrine(t, settings)]
  await assertShared(t, [one.origin, other.origin])
})

suite('replicas on PostgreSQL', { skip: withoutPostgres }, () => {
  let server: PostgresServer
  before(async () => {
    server = await openPostgresServer()
  })
  after(() => server.remove())

  test('replicas share the requests of a bin', async (t) => {
    const settings = { DATABASE_URL: await createSchema(server.url), LOG_LEVEL: 'silent' }
    const [one, other] = [await startVitrine(t, settings), await startVitrine(t, settings)]
    await assertShared(t, [one.origin, other.origin])
  })
})

test('a stop of the service ends streams and waits at once', async (t) => {
  const { app, bin, origin, open } = await openBin(t)
  const stream = await open()
  const headers = { authorization: bin.authorization }
  const arrived = once(app.server, 'request')
  const waiting = fetch(`${origin}/bins/${bin.id}/requests?wait=60`, { headers })
  await arrived
  await app.close()
  assert.equal(await stream.next(), undefined)
  assert.equal(await (await waiting).text(), '[]')
})
