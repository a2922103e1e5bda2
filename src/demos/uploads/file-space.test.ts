import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { asFile, asJson, listOf, openClient } from '../../../test/support/client.ts'
import { get, openConnection, startInFolder } from '../../../test/support/stopping.ts'
import {
  aroundPart,
  asMultipart,
  asUpload,
  multipartType,
} from '../../../test/support/multipart-form.ts'
import { temporaryDatabase } from '../../../test/support/resources.ts'
import { testApp } from '../../../test/support/test-app.ts'
import { until } from '../../../test/support/until.ts'
import { listUploads, openUploads, upload } from '../../../test/support/uploads.ts'

const content = (bytes: number) => Buffer.alloc(bytes, 'g')

test('uploads are stored while their total is within the limit, to the byte', async (t) => {
  const { app, folder } = await openUploads(t, { MAX_FILES_BYTES: '1000' })
  const send = async (bytes: number) =>
    (await app.inject({ method: 'POST', url: '/profile', ...asUpload(content(bytes)) })).statusCode
  assert.equal(await send(1001), 507)
  assert.deepEqual(await readdir(folder), [])
  for (const [bytes, status] of [
    [600, 200],
    [401, 507],
    [400, 200],
    [0, 200],
    [1, 507],
  ] as const) {
    await t.test(String(bytes), async () => {
      assert.equal(await send(bytes), status)
    })
  }
  const kept = await listUploads(app)
  const sizes = kept.map(({ size }) => size)
  assert.deepEqual(sizes, [600, 400, 0])
  assert.deepEqual((await readdir(folder)).toSorted(), kept.map(({ _id }) => _id).toSorted())
})

test('a rejected upload takes no space, whatever the reason', async (t) => {
  const { app } = await openUploads(t, { MAX_FILES_BYTES: '1000', MAX_UPLOAD_BYTES: '900' })
  const file = { name: 'upfiles', fileName: 'a', content: content(600) }
  const wrong = [
    asMultipart([file, file]),
    asMultipart([file, { name: 'other', fileName: 'b', content: 'text' }]),
    asUpload(content(901)),
  ]
  for (const form of wrong) {
    const { statusCode } = await app.inject({ method: 'POST', url: '/profile', ...form })
    assert.ok(statusCode === 400 || statusCode === 413, String(statusCode))
  }
  await upload(app, content(900))
})

/** So that all arrive at the same time. */
function inParts(payload: Buffer): Readable {
  const parts = Array.from({ length: Math.ceil(payload.length / 10_000) }, (_, index) =>
    payload.subarray(index * 10_000, (index + 1) * 10_000),
  )
  return Readable.from(
    parts.values().map(async (part) => {
      await setImmediate()
      return part
    }),
    { objectMode: false },
  )
}

test('of concurrent uploads, as many are stored as fit within the total limit', async (t) => {
  const { app, folder } = await openUploads(t, { MAX_FILES_BYTES: '250000' })
  const form = asUpload(content(100_000))
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => {
      const { payload } = form
      const headers = { ...form.headers, 'content-length': String(payload.length) }
      return app.inject({ method: 'POST', url: '/profile', headers, payload: inParts(payload) })
    }),
  )
  const kept = await listUploads(app)
  assert.equal(kept.length, 2)
  assert.equal(responses.filter(({ statusCode }) => statusCode === 200).length, kept.length)
  assert.equal(responses.filter(({ statusCode }) => statusCode === 507).length, 18)
  assert.deepEqual((await readdir(folder)).toSorted(), kept.map(({ _id }) => _id).toSorted())
  const { statusCode } = await app.inject({ method: 'POST', url: '/profile', ...form })
  assert.equal(statusCode, 507)
})

test('files stored by other processes, before and meanwhile, count too', async (t) => {
  const settings = { DATABASE_URL: await temporaryDatabase(t), MAX_FILES_BYTES: '1000' }
  const one = await testApp(t, { settings })
  await upload(one, content(400))
  const other = await testApp(t, { settings })
  await upload(other, content(400))
  const form = asUpload(content(300))
  assert.equal((await other.inject({ method: 'POST', url: '/profile', ...form })).statusCode, 507)
  // Two files are rejected in any case, so that this changes nothing.
  const file = { name: 'upfiles', fileName: 'a', content: content(300) }
  const twoFiles = { method: 'POST', url: '/profile', ...asMultipart([file, file]) } as const
  await until(async () => (await one.inject(twoFiles)).statusCode === 507)
})

test('a real service rejects a file over the limit, and goes on with the connection', async (t) => {
  const vitrine = await startInFolder(t, { MAX_FILES_BYTES: '1000000' })
  const sendRequest = openClient(t, vitrine.origin)
  assert.equal((await sendRequest('/profile', asFile(content(900_000)))).status, 200)
  for (const bytes of [100_001, 5_000_000]) {
    await t.test(String(bytes), async () => {
      const { status, text } = await sendRequest('/profile', asFile(content(bytes)))
      assert.equal(status, 507, text)
      assert.match(text, /the limit MAX_FILES_BYTES of this service/)
    })
  }
  assert.equal((await readdir(vitrine.filesFolder)).length, 1)
  assert.equal((await listOf(sendRequest, '/uploads')).length, 1)
  assert.equal((await sendRequest('/places', asJson('POST', { name: 'Rome' }))).status, 201)
  assert.equal((await sendRequest('/profile', asFile(content(100_000)))).status, 200)
})

test('the rest of a rejected upload is read before the next request', async (t) => {
  const { origin } = await startInFolder(t, { MAX_FILES_BYTES: '1000' })
  const connection = await openConnection(t, origin)
  const { before, after } = aroundPart({ name: 'upfiles', fileName: 'a' })
  // More than the buffers of both sockets, behind a first part that fills no buffer.
  const rest = Buffer.concat([content(9_000_000), after])
  const length = String(before.length + 2000 + rest.length)
  connection.write(
    'POST /profile HTTP/1.1\r\nHost: localhost\r\n' +
      `Content-Type: ${multipartType}\r\nContent-Length: ${length}\r\n\r\n`,
  )
  connection.write(Buffer.concat([before, content(2000)]))
  assert.match(await connection.response(), /^HTTP\/1\.1 507 /)
  connection.write(rest)
  connection.write(get('/uploads'))
  assert.match(await connection.response(), /^HTTP\/1\.1 200 /)
})
