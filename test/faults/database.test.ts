import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from '../support/start-vitrine.ts'
import { until } from '../support/until.ts'
import { asFile, asJson, listOf, openClient, toCookie } from '../support/client.ts'
import { assertFailsToStart } from './failing-start.ts'
import { holdLock } from './holding.ts'
import { limit, startInFolder } from '../support/stopping.ts'

const rome = { name: 'Rome' }
const user = { username: 'ann', password: 'a password' }
const kinds = ['IMMEDIATE', 'EXCLUSIVE'] as const

/** The service with one location and one user in it, and connections to it. */
async function startWithRecords(t: TestContext) {
  const vitrine = await startInFolder(t)
  const connect = () => openClient(t, vitrine.origin)
  const send = connect()
  await send('/locations/rome', asJson('PUT', rome))
  await send('/users', asJson('POST', { name: user.username, password: user.password }))
  const cookie = toCookie(await send('/login', asJson('POST', user)))
  return { ...vitrine, path: join(vitrine.folder, 'vitrine.db'), connect, send, cookie }
}

for (const kind of kinds) {
  test(
    `while another process has begun ${kind}, reads and pages get a response`,
    limit,
    async (t) => {
      const { path, send, connect } = await startWithRecords(t)
      const lock = await holdLock(t, path, kind)
      const writes: Promise<unknown>[] = []
      // Were a read to wait for the lock, it would wait longer than a write that is requested before.
      const isSoon = async (page: string) => {
        let isRefused = false
        writes.push(connect()('/locations', asJson('POST', rome)).finally(() => (isRefused = true)))
        assert.equal((await send(page, { headers: { accept: 'text/html' } })).status, 200, page)
        return !isRefused
      }
      for (const page of ['/', '/locations', '/locations/rome', '/users', '/uploads', '/login']) {
        await until(() => isSoon(page))
      }
      await lock.release()
      await Promise.all(writes)
    },
  )
}

test(
  'a write waits for another process, and is done when the lock is released',
  limit,
  async (t) => {
    const { path, send, connect } = await startWithRecords(t)
    // On a slow machine the lock may stay for longer than a write waits.
    await until(async () => {
      const lock = await holdLock(t, path, 'IMMEDIATE')
      let isReleased = false
      const write = connect()('/locations', asJson('POST', rome)).then(({ status }) => {
        if (status === 201) assert.ok(isReleased)
        return status
      })
      for (let turn = 1; turn <= 20; turn += 1) {
        assert.equal((await send('/health')).status, 200)
      }
      isReleased = true
      await lock.release()
      return (await write) === 201
    })
    assert.equal((await listOf(send, '/locations')).length, 2)
  },
)

test(
  'a write during a lasting lock gets 503 with Retry-After, and other requests get a response before',
  limit,
  async (t) => {
    const { path, send, connect, filesFolder } = await startWithRecords(t)
    const lock = await holdLock(t, path, 'IMMEDIATE')
    const order: string[] = []
    const writes = {
      create: ['/locations', asJson('POST', rome)],
      put: ['/locations/oslo', asJson('PUT', rome)],
      patch: ['/locations/rome', asJson('PATCH', { note: 'changed' })],
      remove: ['/locations/rome', { method: 'DELETE' }],
      login: ['/login', asJson('POST', user)],
      upload: ['/profile', asFile(Buffer.from('glass'))],
    } as const
    const begin = performance.now()
    const responses = Object.entries(writes).map(async ([name, [path, request]]) => {
      const response = await connect()(path, request)
      order.push(name)
      return { name, ...response }
    })
    for (let turn = 1; turn <= 20; turn += 1) {
      await send('/locations')
      order.push('read')
    }
    const wrong = (await Promise.all(responses)).filter(
      ({ status, headers, text }) =>
        status !== 503 ||
        !/^\d+$/.test(headers['retry-after'] ?? '') ||
        /SQL|locked|vitrine\.db/i.test(text),
    )
    assert.deepEqual(wrong, [])
    t.diagnostic(`503 after ${(performance.now() - begin).toFixed()} ms at most`)
    assert.equal(order[0], 'read')
    await lock.release()
    await until(async () => (await readdir(filesFolder)).length === 0)
    const locations = await listOf<{ name: string; note?: string }>(send, '/locations')
    const results = locations.map(({ name, note }) => [name, note])
    assert.deepEqual(results, [['Rome', undefined]])
    assert.equal((await send('/locations', asJson('POST', rome))).status, 201)
  },
)

test('a logged-in user is shown while another process has the lock', limit, async (t) => {
  const { path, send, cookie } = await startWithRecords(t)
  await holdLock(t, path, 'IMMEDIATE')
  const { status, text } = await send('/session', { headers: { cookie } })
  assert.equal(status, 200, text)
  assert.match(text, /"authenticated":true/)
})

test('an expired session is ignored while another process has the lock', limit, async (t) => {
  const { path, send, cookie } = await startWithRecords(t)
  const [shown] = await listOf<{ _id: string }>(send, '/users')
  await send(`/users/${shown?._id ?? ''}`, { method: 'DELETE' })
  await holdLock(t, path, 'IMMEDIATE')
  const { status, text } = await send('/session', { headers: { cookie } })
  assert.equal(status, 200, text)
  assert.match(text, /"authenticated":false/)
})

test('a login that fails because of a lock does not end the current session', limit, async (t) => {
  const { path, send, cookie } = await startWithRecords(t)
  const lock = await holdLock(t, path, 'IMMEDIATE')
  const { headers, ...request } = asJson('POST', user)
  const rejected = await send('/login', { ...request, headers: { ...headers, cookie } })
  assert.equal(rejected.status, 503)
  assert.equal(rejected.headers['set-cookie'], undefined)
  await lock.release()
  const { text } = await send('/session', { headers: { cookie } })
  assert.match(text, /"authenticated":true/)
})

test('a locked database stops the start with one line', limit, async (t) => {
  const { path, process: child, folder } = await startWithRecords(t)
  child.kill('SIGKILL')
  await holdLock(t, path, 'IMMEDIATE')
  const files = `file:${join(folder, 'files')}`
  const line = await assertFailsToStart(t, { DATABASE_URL: `sqlite:${path}`, FILES_URL: files })
  assert.match(line, /lock/)
})

test('a locked new file stops the start with one line', limit, async (t) => {
  const folder = await temporaryFolder(t)
  const path = join(folder, 'new.db')
  // Not yet with a write-ahead log, so that the lock is on reading too.
  const database = new DatabaseSync(path)
  database.exec('CREATE TABLE other (id)')
  database.close()
  await holdLock(t, path, 'EXCLUSIVE')
  const files = `file:${join(folder, 'files')}`
  const line = await assertFailsToStart(t, { DATABASE_URL: `sqlite:${path}`, FILES_URL: files })
  assert.match(line, /lock/)
})
