import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asMultipart, type FormPart } from '../../../test/support/multipart-form.ts'
import { assertNothingStored, listUploads, openUploads } from '../../../test/support/uploads.ts'

const url = '/profile'
const file: FormPart = { name: 'upfiles', fileName: 'glass.txt', content: 'glass' }

const beside: readonly [what: string, parts: FormPart[]][] = [
  ['a field before it', [{ name: 'a', content: 'b' }, file]],
  ['a field after it', [file, { name: 'a', content: 'b' }]],
  [
    'a submit button and nested fields',
    [{ name: 'b[c]' }, { name: 'b[d]' }, file, { name: 'send' }],
  ],
  ['a text field of the same name', [{ name: 'upfiles', content: 'b' }, file]],
  [
    '200 fields',
    [file, ...Array.from({ length: 200 }, (_, index) => ({ name: `k${String(index)}` }))],
  ],
]
for (const [what, parts] of beside) {
  test(`a file is stored with ${what}`, async (t) => {
    const { app } = await openUploads(t)
    const response = await app.inject({ method: 'POST', url, ...asMultipart(parts) })
    assert.equal(response.statusCode, 200, response.body)
    const [stored, ...others] = await listUploads(app)
    assert.deepEqual([stored?.name, stored?.size, others], ['glass.txt', 5, []])
  })
}

test('the text fields beside a file are named, since they are not stored', async (t) => {
  const { app } = await openUploads(t)
  const parts = [{ name: '_request_id', content: '1' }, { name: 'title' }, file, { name: 'a é' }]
  const named = await app.inject({ method: 'POST', url, ...asMultipart(parts) })
  assert.equal(named.headers['vitrine-ignored-fields'], 'title, a%20%C3%A9')
  const alone = await app.inject({ method: 'POST', url, ...asMultipart([file]) })
  assert.equal(alone.headers['vitrine-ignored-fields'], undefined)
})

const fieldErrors: readonly [what: string, parts: FormPart[], status: number][] = [
  ['201 fields', Array.from({ length: 201 }, (_, index) => ({ name: `k${String(index)}` })), 413],
  ['fields over MAX_BODY_BYTES', [{ name: 'a', content: 'b'.repeat(1001) }], 413],
  ['a field that is not UTF-8', [{ name: 'a', content: Buffer.from([0xff]) }], 400],
  ['a field that is named __proto__', [{ name: '__proto__' }], 400],
]
for (const [what, fields, status] of fieldErrors) {
  test(`a file with ${what} gets ${String(status)} and is not stored`, async (t) => {
    const { app, folder } = await openUploads(t, { MAX_BODY_BYTES: '1000' })
    for (const parts of [
      [file, ...fields],
      [...fields, file],
    ]) {
      const response = await app.inject({ method: 'POST', url, ...asMultipart(parts) })
      assert.equal(response.statusCode, status, response.body)
      await assertNothingStored(app, folder, what)
    }
  })
}
