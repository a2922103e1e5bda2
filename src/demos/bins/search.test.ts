import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InjectOptions } from 'fastify'
import { createBin } from '../../../test/bins.ts'
import { asMultipart } from '../../../test/multipart-form.ts'
import { testApp } from '../../../test/test-app.ts'

const file = {
  name: 'upload',
  fileName: 'Rechnung ü.pdf',
  content: Buffer.from('%PDF \xff\xe9\0', 'latin1'),
}
const upload = asMultipart([{ name: 'note', content: 'café au lait' }, file])
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const searches: [what: string, words: string, sent: InjectOptions, path?: string][] = [
  ['a field of a form with a file', 'CAFÉ au', upload],
  ['the name of a file', 'rechnung ü', upload],
  ['text between bytes', '%pdf', upload],
  ['a body in Latin-1', 'é', { payload: Buffer.from('caf\xe9', 'latin1') }],
  ['a form', 'note=café au lait', { headers: form, payload: 'a=%&note=caf%C3%A9+au+lait' }],
  ['a form as it was sent', 'caf%c3%a9', { headers: form, payload: 'note=caf%C3%A9' }],
  ['JSON with escapes', 'https://é', { payload: String.raw`{"url":"https:\/\/\u00e9"}` }],
  ['a query string', 'café', {}, '/?note=caf%C3%A9'],
]
for (const [what, words, sent, path] of searches) {
  test(`a search finds ${what}`, async (t) => {
    const bin = await createBin(await testApp(t))
    await bin.send(path, { method: 'POST', ...sent })
    assert.equal((await bin.list(`?contains=${encodeURIComponent(words)}`)).length, 1)
    assert.equal((await bin.list(`?contains=${encodeURIComponent(words)}x`)).length, 0)
  })
}
