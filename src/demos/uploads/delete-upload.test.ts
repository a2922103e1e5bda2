import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { asUpload } from '../../../test/support/multipart-form.ts'
import {
  assertNothingStored,
  listUploads,
  openUploads,
  upload,
} from '../../../test/support/uploads.ts'
import { performance } from '../../timers.ts'

const formType = { 'content-type': 'application/x-www-form-urlencoded' }

test('a deleted upload is gone with its file, and the others stay', async (t) => {
  const { app, folder } = await openUploads(t)
  const first = await upload(app, 'one')
  const second = await upload(app, 'two')
  const url = `/uploads/${first._id}`
  const deleted = await app.inject({ method: 'DELETE', url })
  assert.deepEqual([deleted.statusCode, deleted.body], [204, ''])
  assert.equal((await app.inject(url)).statusCode, 404)
  assert.equal((await app.inject({ method: 'DELETE', url })).statusCode, 404)
  assert.deepEqual(await listUploads(app), [second])
  assert.deepEqual(await readdir(folder), [second._id])
})

test('the button of the page deletes, and the list says so once', async (t) => {
  const { app, folder } = await openUploads(t)
  const { _id } = await upload(app, 'one')
  const { body } = await app.inject({ url: '/uploads', headers: { accept: 'text/html' } })
  assert.ok(body.includes(`<form method="post" action="/uploads/${_id}">`))
  const payload = '_method=DELETE'
  const sent = { method: 'POST', url: `/uploads/${_id}`, headers: formType, payload } as const
  const deleted = await app.inject(sent)
  assert.deepEqual([deleted.statusCode, deleted.headers.location], [303, '/uploads'])
  const cookie = String(deleted.headers['set-cookie']).replace(/;.*/, '')
  const headers = { accept: 'text/html', cookie }
  assert.match((await app.inject({ url: '/uploads', headers })).body, /Deleted\./)
  await assertNothingStored(app, folder, 'after the button')
})

for (const [title, headers, status] of [
  ['of another file', { 'if-match': '"other"' }, 412],
  ['from before the upload', { 'if-unmodified-since': new Date(0).toUTCString() }, 412],
  ['of any file', { 'if-match': '*' }, 204],
] as const) {
  test(`a deletion with a condition ${title} gets ${String(status)}`, async (t) => {
    const { app } = await openUploads(t)
    const { _id } = await upload(app, 'one')
    const deleted = await app.inject({ method: 'DELETE', url: `/uploads/${_id}`, headers })
    assert.equal(deleted.statusCode, status)
    assert.equal((await listUploads(app)).length, status === 204 ? 0 : 1)
  })
}

test('a deletion with the entity tag of the download succeeds', async (t) => {
  const { app } = await openUploads(t)
  const url = `/uploads/${(await upload(app, 'one'))._id}`
  const headers = { 'if-match': String((await app.inject(url)).headers.etag) }
  assert.equal((await app.inject({ method: 'DELETE', url, headers })).statusCode, 204)
})

test('concurrent deletions of one upload: one succeeds, the others get 404', async (t) => {
  const { app, folder } = await openUploads(t)
  const { _id } = await upload(app, 'one')
  const deletions = Array.from({ length: 5 }, async () => {
    return (await app.inject({ method: 'DELETE', url: `/uploads/${_id}` })).statusCode
  })
  const statuses = (await Promise.all(deletions)).toSorted((one, other) => one - other)
  assert.deepEqual(statuses, [204, 404, 404, 404, 404])
  await assertNothingStored(app, folder, 'after five deletions')
})

test('the space of a deleted upload is free at once', async (t) => {
  const { app } = await openUploads(t, { MAX_FILES_BYTES: '1000' })
  const { _id } = await upload(app, Buffer.alloc(900))
  const more = { method: 'POST', url: '/profile', ...asUpload(Buffer.alloc(500)) } as const
  assert.equal((await app.inject(more)).statusCode, 507)
  await app.inject({ method: 'DELETE', url: `/uploads/${_id}` })
  assert.equal((await app.inject(more)).statusCode, 200)
})

test('deletions while the sizes are added up do not raise the total limit', async (t) => {
  const { app } = await openUploads(t, { MAX_FILES_BYTES: '500000' })
  const now = performance.now.bind(performance)
  let hours = 0
  t.mock.method(performance, 'now', () => now() + hours * 3_600_000)
  const send = async (bytes: number) => {
    const form = asUpload(Buffer.alloc(bytes))
    return (await app.inject({ method: 'POST', url: '/profile', ...form })).statusCode
  }
  for (let round = 0; round < 4; round += 1) {
    while ((await send(5000)) === 200);
    const kept = await listUploads(app)
    const total = kept.reduce((sum, { size }) => sum + size, 0)
    assert.ok(total <= 500_000, `${String(total)} bytes after ${String(round)} rounds`)
    // The sizes are added up again after some time.
    hours += 1
    const deletions = kept.map(({ _id }) =>
      app.inject({ method: 'DELETE', url: `/uploads/${_id}` }),
    )
    const uploads = kept.map((_, index) => (index % 8 === 0 ? send(1) : undefined))
    await Promise.all([...deletions, ...uploads])
  }
})
