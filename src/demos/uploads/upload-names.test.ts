import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asMultipart } from '../../../test/support/multipart-form.ts'
import { listUploads, openUploads, upload } from '../../../test/support/uploads.ts'

test('the name is the file name without folders and control characters', async (t) => {
  const { app } = await openUploads(t)
  const cases: [sent: string, shown: string][] = [
    ['glass.txt', 'glass.txt'],
    ['two words é.txt', 'two words é.txt'],
    ['😀 漢.txt', '😀 漢.txt'],
    ['/etc/passwd', 'passwd'],
    ['../../outside.txt', 'outside.txt'],
    ['C:\\\\Windows\\\\win.ini', 'win.ini'],
    ['C:\\Windows\\win.ini', 'win.ini'],
    ['mixed/of\\\\both.txt', 'both.txt'],
    ['a\u0001b\tc\u007fd.txt', 'abcd.txt'],
    ['a\u0085b\u009fc.txt', 'abc.txt'],
    ['a\\"b.txt', 'a"b.txt'],
    [`it's; a=b, <b>&.txt`, `it's; a=b, <b>&.txt`],
    ['.hidden', '.hidden'],
  ]
  for (const [sent, shown] of cases) {
    await t.test(sent, async () => {
      assert.equal((await upload(app, 'glass', { fileName: sent })).name, shown)
    })
  }
})

test('a name of only control characters is replaced', async (t) => {
  const { app } = await openUploads(t)
  const { name, _id } = await upload(app, 'glass', { fileName: '\u0001' })
  assert.notEqual(name, '')
  assert.equal((await app.inject(`/uploads/${_id}`)).statusCode, 200)
})

test('a name of 300 characters is truncated, and never within a character', async (t) => {
  const { app } = await openUploads(t)
  for (const character of ['a', 'é', '漢', '😀']) {
    await t.test(character, async () => {
      const { name, _id } = await upload(app, 'glass', { fileName: character.repeat(300) })
      assert.match(name, new RegExp(`^(${character}){100,255}$`, 'u'))
      assert.equal((await app.inject(`/uploads/${_id}`)).statusCode, 200)
    })
  }
  const { name } = await upload(app, 'glass', { fileName: `a${'😀'.repeat(300)}` })
  assert.match(name, /^a(😀){100,254}$/u)
})

test('an invalid media type becomes application/octet-stream, and an absent one text/plain', async (t) => {
  const { app } = await openUploads(t)
  const cases: [sent: string, shown: string][] = [
    ['image/svg+xml', 'image/svg+xml'],
    ['application/vnd.a.b-c', 'application/vnd.a.b-c'],
    ['text', 'application/octet-stream'],
    ['text/', 'application/octet-stream'],
    [`text/${'x'.repeat(200)}`, 'application/octet-stream'],
    ['<script>/x', 'application/octet-stream'],
  ]
  for (const [sent, shown] of cases) {
    await t.test(sent, async () => {
      assert.equal((await upload(app, 'glass', { type: sent })).type, shown)
    })
  }
  const { payload, headers } = asMultipart([
    { name: 'upfiles', fileName: 'a.bin', content: 'glass' },
  ])
  assert.equal(
    (await app.inject({ method: 'POST', url: '/profile', headers, payload })).statusCode,
    200,
  )
  // RFC 7578 §4.4
  assert.equal((await listUploads(app)).at(-1)?.type, 'text/plain')
})
