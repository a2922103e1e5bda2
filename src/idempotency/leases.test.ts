import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test, type TestContext } from 'node:test'
import { openStores } from '../stores/open-stores.ts'
import { loadConfig } from '../config/config.ts'
import { findClaimedId } from './replay-responses.ts'
import { serviceUnavailable, unprocessable } from '../http/errors/http-error.ts'
import type { Demo } from '../site/demo.ts'
import type { IdempotencyEntry } from '../stores/idempotency/idempotency.ts'
import { allRecords, type StoredRecord } from '../stores/records/records.ts'
import { temporaryDatabase, type Shown } from '../../test/support/resources.ts'
import { temporaryFolder } from '../../test/support/start-vitrine.ts'
import { testApp } from '../../test/support/test-app.ts'
import { testDemos } from '../../test/support/test-demos.ts'
import { until } from '../../test/support/until.ts'

const past = '2001-01-01T00:00:00.000Z'
const future = '2999-01-01T00:00:00.000Z'

/** An app, and the entry in its database for the only key that the tests use. */
async function openApp(t: TestContext, demos: readonly Demo[] = testDemos) {
  const databaseUrl = await temporaryDatabase(t)
  const app = await testApp(t, { demos, settings: { DATABASE_URL: databaseUrl } })
  const filesUrl = `file:${await temporaryFolder(t)}`
  const config = loadConfig({ DATABASE_URL: databaseUrl, FILES_URL: filesUrl }, ['users'])
  const { records, idempotencyEntries: responses, close } = await openStores(config)
  t.after(close)

  const send = (payload: object) =>
    app.inject({
      method: 'POST',
      url: '/people',
      headers: { accept: 'application/json', 'idempotency-key': '"a key"' },
      payload,
    })
  const find = async () =>
    (await records.collection('~answers').list(allRecords, { offset: 0, limit: 9 }))[0]
  /** As a process that has ended at some moment leaves it. */
  const leave = async (
    changes: Partial<IdempotencyEntry>,
    without: (keyof IdempotencyEntry)[] = ['answer'],
  ) => {
    const record = (await find()) ?? assert.fail('nothing is claimed')
    const kept = Object.entries(record.document).filter(
      ([name]) => !without.includes(name as keyof IdempotencyEntry),
    )
    const claim = { ...toClaim({ ...record, document: Object.fromEntries(kept) }), ...changes }
    assert.ok(await responses.change(record.id, record.version, claim))
  }
  const list = () => records.collection('people').list(allRecords, { offset: 0, limit: 9 })
  return { app, send, find, leave, list, records }
}

function toClaim(record: StoredRecord | undefined): IdempotencyEntry {
  return (record?.document ?? assert.fail('nothing is claimed')) as unknown as IdempotencyEntry
}

const ann = { name: 'Ann', password: 'correct horse' }

test('the record that a dead process created is found, and not created twice', async (t) => {
  const { send, leave, list } = await openApp(t)
  const first = (await send(ann)).json<Shown>()
  await leave({ leasedUntil: past })
  const again = await send(ann)
  assert.deepEqual([again.statusCode, again.json()], [201, first])
  assert.equal(again.headers.location, `/people/${first._id}`)
  // From here on there is a response again.
  assert.equal((await send(ann)).headers['idempotency-replayed'], 'true')
  assert.equal((await list()).length, 1)
})

test('the record that a dead process was about to create gets the id that it would have had', async (t) => {
  const { send, leave, list, records } = await openApp(t)
  const { _id } = (await send(ann)).json<Shown>()
  await records.collection('people').remove(_id)
  await leave({ leasedUntil: past })
  assert.equal((await send(ann)).json<Shown>()._id, _id)
  const ids = (await list()).map(({ id }) => id)
  assert.deepEqual(ids, [_id])
})

test('while the lease lasts a repeated request gets 409', async (t) => {
  const { send, leave, list } = await openApp(t)
  await send(ann)
  await leave({ leasedUntil: future })
  assert.equal((await send(ann)).statusCode, 409)
  assert.equal((await list()).length, 1)
})

test('a different request does not take over a claim', async (t) => {
  const { send, leave, list } = await openApp(t)
  await send(ann)
  await leave({ leasedUntil: past })
  assert.equal((await send({ ...ann, name: 'Bob' })).statusCode, 422)
  assert.equal((await list()).length, 1)
})

test('a key expires after a day', async (t) => {
  const { send, find, leave, list } = await openApp(t)
  await send(ann)
  const expiresAt = Date.parse(toClaim(await find()).expiresAt)
  assert.ok(Math.abs(expiresAt - Date.now() - 24 * 3600 * 1000) < 60_000)
  await leave({ expiresAt: past }, [])
  assert.equal((await send({ ...ann, name: 'Bob' })).statusCode, 201)
  assert.equal((await list()).length, 2)
})

test('neither the key nor a password can be read from what is stored', async (t) => {
  const { send, find } = await openApp(t)
  await send(ann)
  const record = await find()
  const content = Buffer.from(toClaim(record).answer?.content ?? '', 'base64').toString()
  const kept = `${JSON.stringify(record)} ${content}`
  assert.ok(!/a key|correct horse|argon2/.test(kept), kept)
})

/** Responds as the request body specifies, differently each time if it contains a list. */
function trying(calls: string[], signal?: Promise<unknown>): Demo {
  return {
    name: 'trying',
    title: 'Trying',
    summary: 'Responds as the request specifies.',
    routes: (_, app) => {
      app.post('/trying', { config: { acceptsIdempotencyKey: true } }, async (request, reply) => {
        const id = findClaimedId(request) ?? assert.fail('nothing is claimed')
        calls.push(id)
        const { how } = request.body as { how: string[] }
        switch (how[calls.length - 1] ?? how.at(-1)) {
          case 'unavailable':
            throw serviceUnavailable('Later.')
          case 'invalid':
            throw unprocessable([{ field: 'a', message: 'is wrong' }])
          case 'stream':
            return reply.send(Readable.from([id]))
          case 'bytes':
            return reply.type('application/octet-stream').send(Buffer.from([0, 255, 128]))
          case 'redirect':
            return reply.redirect('/elsewhere', 303)
          case 'nothing':
            return reply.code(204).send()
          default:
            await signal
            return reply.send(id)
        }
      })
      return []
    },
  }
}

test('a request whose response was not stored runs again, with the same id if it may have had an effect', async (t) => {
  const cases: [how: string, calls: number, ids: number, status: number][] = [
    ['unavailable', 2, 1, 503],
    ['invalid', 2, 2, 422],
    ['stream', 2, 1, 200],
    ['bytes', 1, 1, 200],
    ['redirect', 1, 1, 303],
    ['nothing', 1, 1, 204],
  ]
  for (const [how, times, ids, status] of cases) {
    await t.test(how, async () => {
      const calls: string[] = []
      const app = await testApp(t, { demos: [trying(calls)] })
      const headers = { 'idempotency-key': 'a' }
      const send = () =>
        app.inject({ method: 'POST', url: '/trying', headers, payload: { how: [how] } })
      const [first, second] = [await send(), await send()]
      assert.deepEqual([first.statusCode, second.statusCode], [status, status])
      assert.deepEqual([calls.length, new Set(calls).size], [times, ids])
      assert.deepEqual(second.rawPayload.length, first.rawPayload.length)
      assert.equal(second.headers.location, first.headers.location)
      assert.equal(second.headers['content-length'], first.headers['content-length'])
    })
  }
})

test('a request that may have had an effect keeps its id, also after an error, until there is a response', async (t) => {
  const calls: string[] = []
  const app = await testApp(t, { demos: [trying(calls)] })
  const headers = { 'idempotency-key': 'a' }
  const payload = { how: ['unavailable', 'invalid', 'stream', 'bytes'] }
  const send = () => app.inject({ method: 'POST', url: '/trying', headers, payload })
  const statuses: number[] = []
  for (let count = 1; count <= 6; count += 1) statuses.push((await send()).statusCode)
  assert.deepEqual(statuses, [503, 422, 200, 200, 200, 200])
  assert.deepEqual([calls.length, new Set(calls).size], [4, 1])
})

test('the lease of a slow request is renewed', async (t) => {
  const { promise: signal, resolve: report } = Promise.withResolvers<undefined>()
  const { app, find } = await openApp(t, [trying([], signal)])
  const headers = { 'idempotency-key': 'a' }
  const send = () =>
    app.inject({ method: 'POST', url: '/trying', headers, payload: { how: ['on signal'] } })
  const first = send()
  await until(async () => (await find())?.version === 1)
  const { leasedUntil } = toClaim(await find())
  await until(async () => toClaim(await find()).leasedUntil > leasedUntil)
  assert.equal((await send()).statusCode, 409)
  report(undefined)
  assert.equal((await first).statusCode, 200)
  assert.equal((await send()).headers['idempotency-replayed'], 'true')
})
