import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get as httpGet, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { openSqliteDatabase } from '../../src/stores/sqlite/database.ts'
import { temporaryFolder } from '../support/start-vitrine.ts'
import { asJson, openClient } from '../support/client.ts'
import {
  ended,
  get,
  limit,
  openConnection,
  rejectsConnections,
  startInFolder,
  startInFolderOf,
} from '../support/stopping.ts'

test('a large list that is read slowly at SIGTERM arrives whole', limit, async (t) => {
  const count = 12_000
  const folder = await temporaryFolder(t)
  fill(join(folder, 'vitrine.db'), count)
  const { origin, process: child } = await startInFolderOf(t, folder)
  const list = await open(`${origin}/locations`)
  list.pause()
  child.kill('SIGTERM')
  await rejectsConnections(origin)
  const chunks = (await list.toArray()) as Buffer[]
  assert.ok(list.complete)
  assert.equal((JSON.parse(Buffer.concat(chunks).toString()) as object[]).length, count)
  await ended(child)
  assert.equal(child.exitCode, 0)
})

/** More than the buffers of a connection hold. */
function fill(path: string, count: number): void {
  const database = openSqliteDatabase(`sqlite:${path}`)
  const insert = database.prepare(
    `INSERT INTO records (resource, id, document, version, created_at, updated_at)
     VALUES ('locations', ?, ?, 1, ?, ?)`,
  )
  const document = JSON.stringify({ name: 'Rome', note: 'n'.repeat(1000) })
  const time = new Date(0).toISOString()
  database.exec('BEGIN')
  for (let index = 0; index < count; index += 1) insert.run(String(index), document, time, time)
  database.exec('COMMIT')
  database.close()
}

async function open(url: string): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  httpGet(url, { headers: { accept: 'application/json' }, agent: false }, resolve).on(
    'error',
    reject,
  )
  return promise
}

test('logins that wait for their hash at SIGTERM get a response', limit, async (t) => {
  const { origin, process: child } = await startInFolder(t)
  const user = { username: 'late', password: 'a password' }
  const { username: name, password } = user
  const clients = Array.from({ length: 12 }, () => openClient(t, origin))
  await clients[0]?.('/users', asJson('POST', { name, password }))
  await Promise.all(clients.map((send) => send('/health')))
  const responses = clients.map((send) => send('/login', asJson('POST', user)))
  // Only two are hashed at a time, so most of the others wait when the first gets a response.
  await Promise.race(responses)
  child.kill('SIGTERM')
  for (const { status, text } of await Promise.all(responses)) assert.equal(status, 200, text)
  await ended(child)
  assert.equal(child.exitCode, 0)
})

test('a body in flight at SIGTERM is read to its end, and stored', limit, async (t) => {
  const vitrine = await startInFolder(t)
  const connection = await openConnection(t, vitrine.origin)
  const other = await openConnection(t, vitrine.origin)
  const text = '{"name":"Rome"}'
  const fields = `Host: localhost\r\nContent-Type: application/json\r\nContent-Length: ${String(text.length)}`
  connection.write(`PUT /locations/rome HTTP/1.1\r\n${fields}\r\n\r\n${text.slice(0, 5)}`)
  other.write(get('/health'))
  await other.response()
  vitrine.process.kill('SIGTERM')
  await rejectsConnections(vitrine.origin)
  connection.write(text.slice(5))
  const response = await connection.response()
  assert.match(response, /^HTTP\/1.1 201 /)
  assert.match(response, /^x-content-type-options: nosniff\r$/im)
  await ended(vitrine.process)
  const { origin } = await startInFolderOf(t, vitrine.folder)
  assert.equal((await openClient(t, origin)('/locations/rome')).status, 200)
})

test(
  'a large response that its client reads slowly is sent whole before the end',
  limit,
  async (t) => {
    const { origin, process: child } = await startInFolder(t, { MAX_BODY_BYTES: '20000000' })
    const text = JSON.stringify('x'.repeat(9_000_000))
    const { hostname, port } = new URL(origin)
    const socket = connect(Number(port), hostname)
    t.after(() => socket.destroy())
    await once(socket, 'connect')
    socket.write(
      `POST /users/post HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${String(text.length)}\r\n\r\n`,
    )
    await new Promise((resolve) => socket.write(text.slice(0, -1), resolve))
    child.kill('SIGTERM')
    await rejectsConnections(origin)
    socket.write(text.slice(-1))
    let received = 0
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      received += chunk.length
      await setTimeout(5)
    }
    assert.ok(received > text.length, String(received))
    await ended(child)
    assert.equal(child.exitCode, 0)
  },
)
