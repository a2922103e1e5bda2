import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { suite, test, before, after, type TestContext } from 'node:test'
import type { Captured, NewBin } from '../support/bins.ts'
import { openEvents } from '../support/event-stream.ts'
import { openSocket } from '../support/watched-vitrine.ts'
import {
  createSchema,
  openPostgresServer,
  withoutPostgres,
  type PostgresServer,
} from '../support/postgres-server.ts'
import { accessKeyId, secretAccessKey } from '../support/s3-signature.ts'
import { startS3 } from '../support/s3-server.ts'
import { settingsIn, startVitrine, temporaryFolder } from '../support/start-vitrine.ts'
import { until } from '../support/until.ts'
import { startInFolder } from '../support/stopping.ts'

async function createBin(origin: string) {
  const response = await fetch(`${origin}/bins`, { method: 'POST' })
  const { id, secret } = (await response.json()) as NewBin
  const headers = { authorization: `Bearer ${secret}` }
  const list = async (at: string, query = '') => {
    const found = await fetch(`${at}/bins/${id}/requests${query}`, { headers })
    assert.ok(found.ok)
    return (await found.json()) as Captured[]
  }
  return { id, headers, list }
}

/** Sends until the service is killed, and adds the paths of the acknowledged requests. */
async function sendUntilKilled(bin: string, name: string, acknowledged: string[]): Promise<void> {
  try {
    for (let count = 0; ; count += 1) {
      const path = `/${name}/${String(count)}`
      const body = randomBytes(count % 5 === 0 ? 80_000 : 100)
      const response = await fetch(bin + path, { method: 'POST', body })
      await response.arrayBuffer()
      if (response.status === 200) acknowledged.push(path)
    }
  } catch {
    return
  }
}

async function assertSurvives(t: TestContext, settings: Record<string, string>): Promise<void> {
  const { origin, process: child } = await startVitrine(t, settings)
  const bin = await createBin(origin)
  const acknowledged: string[] = []
  const sending = ['a', 'b', 'c', 'd'].map((name) =>
    sendUntilKilled(`${origin}/b/${bin.id}`, name, acknowledged),
  )
  await until(() => acknowledged.length > 100)
  child.kill('SIGKILL')
  await once(child, 'exit')
  await Promise.all(sending)
  const next = await startVitrine(t, settings)
  const captured = new Map((await bin.list(next.origin)).map((one) => [one.path, one]))
  for (const path of acknowledged) {
    const found = captured.get(path)
    assert.ok(found, path)
    const body = await fetch(`${next.origin}${found.url}/body`, { headers: bin.headers })
    assert.equal((await body.arrayBuffer()).byteLength, found.requestBody?.size)
  }
}

const settings = { BIN_MAX_REQUESTS: '10000', LOG_LEVEL: 'silent' }

test('every acknowledged capture survives kill -9, with its body', async (t) => {
  await assertSurvives(t, { ...settings, ...settingsIn(await temporaryFolder(t)) })
})

suite('on PostgreSQL', { skip: withoutPostgres }, () => {
  let server: PostgresServer
  before(async () => {
    server = await openPostgresServer()
  })
  after(() => server.remove())

  test('every acknowledged capture survives kill -9, with its body', async (t) => {
    const FILES_URL = `file:${join(await temporaryFolder(t), 'files')}`
    const DATABASE_URL = await createSchema(server.url)
    await assertSurvives(t, { ...settings, FILES_URL, DATABASE_URL })
  })
})

test('a slow viewer of a flood slows no other, and is told what it missed', async (t) => {
  const { origin, process: child } = await startVitrine(t, {
    LOG_LEVEL: 'silent',
    SEND_IDLE_SECONDS: '3600',
    NODE_OPTIONS: '--max-old-space-size=100',
  })
  const bin = await createBin(origin)
  const { authorization } = bin.headers
  const slow = openSocket(origin)
  slow.write(
    `GET /bins/${bin.id}/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${authorization}\r\n\r\n`,
  )
  await once(slow, 'readable')
  const open = () => openEvents(t, `${origin}/bins/${bin.id}/events`, { authorization })
  const viewers = await Promise.all(Array.from({ length: 10 }, open))
  const last = viewers.map(async ({ next }) => {
    for (;;) {
      const event = await next()
      if (event === undefined) return 'nothing'
      const { after = '', path } = event.value as { after?: string; path?: string }
      // On a busy machine any client may be slow.
      const missed = event.name === 'reset' ? await bin.list(origin, `?after=${after}`) : []
      if ([path, ...missed.map((one) => one.path)].includes('/last')) return 'last'
    }
  })
  // More than 5 MB of events for each viewer, of which a socket holds some.
  const path = 'x'.repeat(4000)
  for (let round = 0; round < 100; round += 1) {
    const send = () => fetch(`${origin}/b/${bin.id}/${path}`, { method: 'POST', body: path })
    for (const response of await Promise.all(Array.from({ length: 50 }, send)))
      assert.equal(response.status, 200)
  }
  await fetch(`${origin}/b/${bin.id}/last`)
  assert.deepEqual(new Set(await Promise.all(last)), new Set(['last']))
  assert.equal(child.exitCode, null)
  let tail = ''
  slow.on('data', (chunk: Buffer) => {
    tail = tail.slice(-200) + chunk.toString('latin1')
    if (tail.includes('event: reset') && /data: .*\n/.test(tail.split('event: reset')[1] ?? ''))
      slow.destroy()
  })
  await once(slow, 'close')
  const [, after = ''] = /"after":"([\w-]+)"/.exec(tail) ?? []
  assert.match(after, /^[\w-]{36}$/)
  assert.equal((await bin.list(origin)).length, 500)
  assert.equal((await bin.list(origin, `?after=${after}`)).at(-1)?.path, '/last')
})

test('a request that is removed while its body is read gets 404', async (t) => {
  const s3 = await startS3()
  t.after(s3.close)
  const { origin } = await startInFolder(t, {
    FILES_URL: s3.url,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  })
  const bin = await createBin(origin)
  await fetch(`${origin}/b/${bin.id}`, { method: 'POST', body: 'x'.repeat(100_000) })
  const [{ url } = { url: '' }] = await bin.list(origin)
  s3.fault = async (operation) => {
    if (operation !== 'GetObject') return undefined
    await fetch(origin + url, { method: 'DELETE', headers: bin.headers })
    await until(() => s3.objects.size === 0)
    return undefined
  }
  const { status } = await fetch(`${origin}${url}/body`, { headers: bin.headers })
  assert.equal(status, 404)
})
