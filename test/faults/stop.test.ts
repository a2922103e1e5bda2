import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { until } from '../support/until.ts'
import { makeCertificate } from '../support/tls-client.ts'
import { asJson, openClient } from '../support/client.ts'
import {
  beginUpload,
  ended,
  get,
  limit,
  openConnection,
  rejectsConnections,
  startInFolder,
  startInFolderOf,
} from '../support/stopping.ts'

const signals = ['SIGTERM', 'SIGINT'] as const
const content = randomBytes(300_000)

for (const signal of signals) {
  test(
    `${signal} ends the process with status 0 despite twenty idle connections`,
    limit,
    async (t) => {
      const { origin, process: child } = await startInFolder(t)
      const connections = await Promise.all(
        Array.from({ length: 20 }, () => openConnection(t, origin)),
      )
      for (const connection of connections) {
        connection.write(get('/health'))
        assert.match(await connection.response(), /^HTTP\/1.1 200 /)
      }
      child.kill(signal)
      await ended(child)
      assert.equal(child.exitCode, 0)
    },
  )

  test(
    `an upload in flight at ${signal} is finished, stored and gets its response`,
    limit,
    async (t) => {
      const vitrine = await startInFolder(t)
      const upload = await beginUpload(t, vitrine, content)
      vitrine.process.kill(signal)
      await rejectsConnections(vitrine.origin)
      upload.finish()
      const response = await upload.response()
      assert.match(response, /^HTTP\/1.1 200 /)
      assert.match(response, /^connection: close\r$/im)
      await ended(vitrine.process)
      assert.equal(vitrine.process.exitCode, 0)
      const [id = '', ...others] = await readdir(vitrine.filesFolder)
      assert.deepEqual(others, [])
      assert.deepEqual(await readFile(join(vitrine.filesFolder, id)), content)
      const { origin } = await startInFolderOf(t, vitrine.folder)
      const { text } = await openClient(t, origin)('/uploads')
      assert.match(text, new RegExp(`"_id":"${id}"`))
    },
  )
}

for (const [DRAIN_SECONDS, drain] of [
  ['0', ''],
  ['1', 'new requests are accepted for 1 s, then '],
] as const) {
  test(`a stop with DRAIN_SECONDS=${DRAIN_SECONDS} logs its begin and end`, limit, async (t) => {
    const { process: child } = await startInFolder(t, { LOG_LEVEL: 'info', DRAIN_SECONDS })
    child.kill('SIGTERM')
    const logged = await text(child.stdout ?? assert.fail())
    assert.deepEqual(
      [...logged.matchAll(/"level":(\d+).*"msg":"(.*)"/g)].map(([, level, msg]) => [level, msg]),
      [
        ['30', `stopping: ${drain}requests in progress end within 10 s`],
        ['30', 'stopped'],
      ],
    )
  })
}

test('twenty connections that never sent a byte do not delay the end', limit, async (t) => {
  const { origin, process: child } = await startInFolder(t)
  await Promise.all(Array.from({ length: 20 }, () => openConnection(t, origin)))
  const connection = await openConnection(t, origin)
  connection.write(get('/health'))
  await connection.response()
  child.kill('SIGTERM')
  await ended(child)
  assert.equal(child.exitCode, 0)
})

test('a connection without a TLS handshake does not delay the end', limit, async (t) => {
  const { origin, process: child } = await startInFolder(t, await makeCertificate(t))
  await openConnection(t, origin)
  // The half-sent request was accepted, so the silent connection was, too.
  const request = await beginSecurePost(t, origin)
  child.kill('SIGTERM')
  await rejectsConnections(origin)
  // It gets a response, and is not closed with the other connection.
  assert.equal(await request.finish(), 200)
  await ended(child)
  assert.equal(child.exitCode, 0)
})

/** Sends a request over TLS but for its last byte. */
async function beginSecurePost(t: TestContext, origin: string) {
  const request = httpsRequest(`${origin}/users/post/raw`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain', 'content-length': 2, expect: '100-continue' },
    agent: false,
    rejectUnauthorized: false,
  })
  t.after(() => request.destroy())
  request.flushHeaders()
  await once(request, 'continue')
  request.write('a')
  return {
    finish: async () => {
      request.end('b')
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      response.resume()
      return response.statusCode
    },
  }
}

test(
  'a request on a persistent connection that ends during the stop gets Connection: close',
  limit,
  async (t) => {
    const vitrine = await startInFolder(t)
    const connection = await openConnection(t, vitrine.origin)
    const other = await openConnection(t, vitrine.origin)
    connection.write(get('/health'))
    await connection.response()
    const request = get('/health')
    connection.write(request.slice(0, -2))
    // The other response is a turn in which the service has read the half request too.
    other.write(get('/health'))
    await other.response()
    vitrine.process.kill('SIGTERM')
    await rejectsConnections(vitrine.origin)
    connection.write(request.slice(-2))
    const response = await connection.response()
    assert.match(response, /^HTTP\/1.1 200 /)
    assert.match(response, /^connection: close\r$/im)
    assert.equal(await connection.closed(), '')
    await ended(vitrine.process)
    assert.equal(vitrine.process.exitCode, 0)
  },
)

for (const first of signals) {
  for (const second of signals) {
    test(
      `${second} after ${first} ends the process at once, whatever is in flight`,
      limit,
      async (t) => {
        const vitrine = await startInFolder(t)
        const upload = await beginUpload(t, vitrine, content)
        vitrine.process.kill(first)
        await rejectsConnections(vitrine.origin)
        vitrine.process.kill(second)
        await ended(vitrine.process)
        // By the signal, without waiting for requests in flight.
        assert.equal(vitrine.process.signalCode, second)
        assert.doesNotMatch(await upload.closed(), /^HTTP/)
      },
    )
  }
}

test(
  'an upload aborted by a second signal does not exist after the next start',
  limit,
  async (t) => {
    const vitrine = await startInFolder(t)
    await beginUpload(t, vitrine, content)
    vitrine.process.kill('SIGTERM')
    await rejectsConnections(vitrine.origin)
    vitrine.process.kill('SIGTERM')
    await once(vitrine.process, 'exit')
    const { origin } = await startInFolderOf(t, vitrine.folder)
    // A later sweep removes the incomplete file.
    assert.deepEqual(
      (await readdir(vitrine.filesFolder)).filter((name) => !name.endsWith('.part')),
      [],
    )
    assert.equal((await openClient(t, origin)('/uploads')).text.trim(), '[]')
  },
)

test('during DRAIN_SECONDS the service accepts requests, and is not ready', limit, async (t) => {
  const { origin, process: child } = await startInFolder(t, { DRAIN_SECONDS: '3600' })
  const send = (path: string, message = {}) => openClient(t, origin)(path, message)
  assert.equal((await send('/health/ready')).status, 200)
  child.kill('SIGTERM')
  await until(async () => (await send('/health/ready')).status === 503)
  assert.match((await send('/health/ready')).text, /draining/)
  assert.equal((await send('/locations', asJson('POST', { name: 'Rome' }))).status, 201)
  assert.equal(child.exitCode, null)
  child.kill('SIGTERM')
  await ended(child)
  await rejectsConnections(origin)
})

test(
  'after DRAIN_SECONDS requests in flight are finished, and the exit status is 0',
  limit,
  async (t) => {
    const vitrine = await startInFolder(t, { DRAIN_SECONDS: '1' })
    const upload = await beginUpload(t, vitrine, content)
    vitrine.process.kill('SIGTERM')
    await rejectsConnections(vitrine.origin)
    upload.finish()
    assert.match(await upload.response(), /^HTTP\/1.1 200 /)
    await ended(vitrine.process)
    assert.equal(vitrine.process.exitCode, 0)
  },
)
