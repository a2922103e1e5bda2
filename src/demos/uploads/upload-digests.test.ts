import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { example, ofNothing, sha256, sha512, toField } from '../../../test/support/digests.ts'
import { asUpload } from '../../../test/support/multipart-form.ts'
import {
  assertNothingStored,
  listUploads,
  openUploads,
  upload,
} from '../../../test/support/uploads.ts'

test('a form with a file is stored only when the digest of the whole form matches', async (t) => {
  const { app, folder } = await openUploads(t, { DEMOS: 'uploads,bodies' })
  const { headers, payload } = asUpload(Buffer.alloc(300_000, 'glass'))
  const epilogue = Buffer.concat([payload, Buffer.from('behind the closing boundary')])
  const cases: [digest: string, content: Buffer, status: number][] = [
    [ofNothing, payload, 400],
    [toField('sha-256', 'glass'), payload, 400],
    [`${toField('sha-256', payload)}, ${toField('sha-512', '')}`, payload, 400],
    [toField('sha-256', payload), epilogue, 400],
    ['sha-256=glass', payload, 400],
  ]
  const send = (digest: string, content: Buffer) =>
    app.inject({
      method: 'POST',
      url: '/profile',
      headers: { ...headers, 'content-digest': digest },
      payload: content,
    })
  for (const [digest, content, status] of cases) {
    await t.test(digest, async () => {
      const response = await send(digest, content)
      assert.equal(response.statusCode, status, `${digest}: ${response.body}`)
      await assertNothingStored(app, folder, digest)
    })
  }
  for (const content of [payload, epilogue]) {
    assert.equal((await send(toField('sha-512', content), content)).statusCode, 200)
  }
  const fields = { method: 'POST', url: '/users/post/formdata', headers, payload } as const
  const wrong = { ...headers, 'repr-digest': ofNothing }
  assert.equal((await app.inject({ ...fields, headers: wrong })).statusCode, 400)
})

// RFC 9530 appendix B.3
test('in a partial response Repr-Digest covers the whole and Content-Digest the part', async (t) => {
  const { app } = await openUploads(t)
  const { _id } = await upload(app, example)
  const url = `/uploads/${_id}`
  const all = { 'want-repr-digest': 'sha-256=1', 'want-content-digest': 'sha-256=1' }
  const cases: [headers: Record<string, string>, repr: string, content: string][] = [
    [{ range: 'bytes=10-18' }, sha256, 'sha-256=:jjcgBDWNAtbYUXI37CVG3gRuGOAjaaDRGpIUFsdyepQ=:'],
    [{}, sha256, sha256],
    [{ 'want-repr-digest': 'sha-512=1' }, sha512, sha256],
  ]
  for (const [more, repr, content] of cases) {
    await t.test(`${repr} ${content}`, async () => {
      const { headers } = await app.inject({ url, headers: { ...all, ...more } })
      assert.deepEqual([headers['repr-digest'], headers['content-digest']], [repr, content])
    })
  }
  const head = await app.inject({ method: 'HEAD', url, headers: all })
  assert.deepEqual(
    [head.headers['repr-digest'], head.headers['content-digest']],
    [sha256, ofNothing],
  )
  const { headers } = await app.inject({ url, headers: { ...all, range: 'bytes=90-' } })
  assert.notEqual(headers['repr-digest'], sha256)
})

test('an empty file has a digest', async (t) => {
  const { app } = await openUploads(t)
  const { _id } = await upload(app, '')
  const headers = { 'want-repr-digest': 'sha-256=1' }
  const empty = await app.inject({ url: `/uploads/${_id}`, headers })
  assert.equal(empty.headers['repr-digest'], ofNothing)
})

test('an upload over the limit is rejected and leaves no file', async (t) => {
  const { app, folder } = await openUploads(t, { MAX_RECORDS: '2' })
  const send = async () =>
    (await app.inject({ method: 'POST', url: '/profile', ...asUpload('glass') })).statusCode
  assert.deepEqual([await send(), await send(), await send()], [200, 200, 507])
  const kept = await listUploads(app)
  assert.deepEqual((await readdir(folder)).toSorted(), kept.map(({ _id }) => _id).toSorted())
})
