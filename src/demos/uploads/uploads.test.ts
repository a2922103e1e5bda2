import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { brotliDecompressSync } from 'node:zlib'
import {
  asMultipart,
  asUpload,
  multipartType,
  type FormPart,
} from '../../../test/support/multipart-form.ts'
import {
  assertNothingStored,
  listUploads,
  openUploads,
  upload,
} from '../../../test/support/uploads.ts'
import { findExchange, openRecordedApp } from '../../../test/support/recorded.ts'
import { browserAccept } from '../../../test/support/resources.ts'
import { startVitrine, temporaryFolder } from '../../../test/support/start-vitrine.ts'
import { testApp } from '../../../test/support/test-app.ts'

const url = '/profile'
const file: FormPart = {
  name: 'upfiles',
  fileName: 'glass.txt',
  type: 'text/plain',
  content: 'glass',
}

test('one file in upfiles is stored, and the response is text that confirms it', async (t) => {
  const { app, folder } = await openUploads(t)
  const response = await app.inject({ method: 'POST', url, ...asMultipart([file]) })
  assert.equal(response.statusCode, 200)
  assert.equal(response.headers['content-type'], 'text/plain; charset=utf-8')
  assert.match(response.body, /succeeded/)
  const [stored, ...others] = await listUploads(app)
  assert.deepEqual(others, [])
  assert.deepEqual(await readdir(folder), [stored?._id])
  assert.equal(await readFile(join(folder, stored?._id ?? ''), 'utf8'), 'glass')
})

test('the response is text by default, a page for browsers and JSON on request', async (t) => {
  const { app } = await openUploads(t)
  const send = async (accept: string) => {
    const { headers, payload } = asMultipart([{ ...file, fileName: '<b>.txt' }])
    return app.inject({ method: 'POST', url, headers: { ...headers, accept }, payload })
  }
  for (const accept of ['*/*', 'text/plain', 'image/png']) {
    await t.test(accept, async () => {
      const { headers, body } = await send(accept)
      assert.equal(headers['content-type'], 'text/plain; charset=utf-8')
      assert.match(body, /^The upload succeeded: <b>\.txt, 5 bytes/)
    })
  }
  const page = await send(browserAccept)
  assert.equal(page.headers['content-type'], 'text/html; charset=utf-8')
  const sha256 = createHash('sha256').update('glass').digest('hex')
  const where = String(page.headers.location)
  const shown = ['The upload succeeded: &lt;b&gt;.txt, 5 bytes', `href="${where}"`, 'text/plain']
  for (const text of [...shown, sha256]) assert.ok(page.body.includes(text), text)
  const json = await send('application/json')
  assert.deepEqual(json.json(), (await listUploads(app)).at(-1))
  assert.equal(json.headers.location, `/uploads/${json.json<{ _id: string }>()._id}`)
})

test('the list has the name, type, size, SHA-256 and time of a file', async (t) => {
  const { app } = await openUploads(t)
  const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
  for (const content of [all, Buffer.of(), Buffer.alloc(300_000, all), Buffer.from('\r\n--\r\n')]) {
    const { _id, createdAt, ...rest } = await upload(app, content, { type: 'image/png' })
    assert.match(_id, /^[\w-]{16,}$/)
    assert.equal(new Date(createdAt).toISOString(), createdAt)
    const sha256 = createHash('sha256').update(content).digest('hex')
    assert.deepEqual(rest, { name: 'file.bin', type: 'image/png', size: content.length, sha256 })
    assert.deepEqual((await app.inject(`/uploads/${_id}`)).rawPayload, content)
  }
})

test('a real service stores every byte of a file in many chunks with parts of the boundary', async (t) => {
  const folder = await temporaryFolder(t)
  const { origin } = await startVitrine(t, { FILES_URL: `file:${folder}` })
  const content = Buffer.concat([
    randomBytes(1_000_003),
    Buffer.alloc(1_000_000, '\r\n--'),
    randomBytes(3_000_000),
  ])
  const { headers, payload } = asMultipart([{ ...file, content }])
  const response = await fetch(origin + url, { method: 'POST', headers, body: payload })
  assert.equal(response.status, 200)
  const [id = ''] = await readdir(folder)
  assert.ok(content.equals(await readFile(join(folder, id))))
  const uploads = await fetch(`${origin}/uploads`, { headers: { accept: 'application/json' } })
  assert.ok((await uploads.text()).includes(createHash('sha256').update(content).digest('hex')))
})

test('a form of any other shape is rejected and nothing of it is stored', async (t) => {
  const { app, folder } = await openUploads(t)
  const empty = { name: 'upfiles', fileName: '', type: 'application/octet-stream' }
  const text = { name: 'a', content: 'b' }
  const cases: [title: string, parts: FormPart[], status: number][] = [
    ['no parts', [], 400],
    ['an empty file input', [empty], 400],
    ['text in upfiles', [{ name: 'upfiles', content: 'glass' }], 400],
    ['two files', [file, file], 400],
    ['three files', [file, file, file], 400],
    ['a file in another field', [{ ...file, name: 'pic' }], 400],
    ['a file in a field of another letter case', [{ ...file, name: 'Upfiles' }], 400],
    ['a text field alone', [text], 400],
    ['a file in another field after it', [file, { ...file, name: 'pic' }], 400],
    ['an empty file input after it', [file, empty], 400],
    ['a part without a name', [{ fileName: 'glass.txt', content: 'glass' }], 400],
    ['a part that is not form-data', [{ ...file, disposition: 'attachment' }], 400],
  ]
  for (const [title, parts, status] of cases) {
    await t.test(title, async () => {
      const response = await app.inject({ method: 'POST', url, ...asMultipart(parts) })
      assert.equal(response.statusCode, status, `${title}: ${response.body}`)
      await assertNothingStored(app, folder, title)
    })
  }
})

test('a body that is not a multipart form gets 415 that names the supported type', async (t) => {
  const { app, folder } = await openUploads(t)
  const { payload } = asMultipart([file])
  const types = [
    'application/json',
    'application/x-www-form-urlencoded',
    'text/plain',
    'application/octet-stream',
    multipartType.replace('form-data', 'mixed'),
    multipartType.replace('form-data', 'form-data-too'),
    'nonsense',
  ]
  for (const type of types) {
    await t.test(type, async () => {
      const headers = { 'content-type': type }
      const content = type === 'application/json' ? '{}' : payload
      const response = await app.inject({ method: 'POST', url, headers, payload: content })
      assert.equal(response.statusCode, 415)
      assert.equal(response.headers['accept-post'], 'multipart/form-data')
      await assertNothingStored(app, folder, type)
    })
  }
  assert.equal((await app.inject({ method: 'POST', url })).statusCode, 415)
})

test('an incomplete or malformed multipart form gets 400 and nothing is stored', async (t) => {
  const { app, folder } = await openUploads(t)
  const { headers, payload } = asMultipart([file])
  const open = payload.subarray(0, payload.length - 4)
  const cases: [title: string, type: string, content: Buffer | string][] = [
    ['no boundary', 'multipart/form-data', payload],
    ['another boundary', 'multipart/form-data; boundary=other', payload],
    ['nothing', headers['content-type'], ''],
    ['no part', headers['content-type'], 'glass'],
    ['cut in the closing boundary', headers['content-type'], open.subarray(0, open.length - 9)],
    ['cut in the content', headers['content-type'], payload.subarray(0, payload.indexOf('ass'))],
    ['cut in the headers', headers['content-type'], payload.subarray(0, payload.indexOf('plain'))],
  ]
  for (const [title, type, content] of cases) {
    await t.test(`${title} ${type}`, async () => {
      const response = await app.inject({
        method: 'POST',
        url,
        headers: { 'content-type': type },
        payload: content,
      })
      assert.equal(response.statusCode, 400, `${title}: ${response.body}`)
      await assertNothingStored(app, folder, title)
    })
  }
})

test('a file of exactly 10 MiB is stored and one more byte gets 413', async (t) => {
  const { app, folder } = await openUploads(t)
  const over = asUpload(Buffer.alloc(10 * 1024 ** 2 + 1))
  const response = await app.inject({ method: 'POST', url, ...over })
  assert.equal(response.statusCode, 413, response.body)
  await assertNothingStored(app, folder, 'a byte more')
  assert.equal((await upload(app, Buffer.alloc(10 * 1024 ** 2))).size, 10 * 1024 ** 2)
})

test('MAX_UPLOAD_BYTES limits a file to the byte, with or without Content-Length', async (t) => {
  const { app, folder } = await openUploads(t, { MAX_UPLOAD_BYTES: '1000' })
  for (const size of [1001, 17_000, 200_000]) {
    for (const chunked of [{}, { 'transfer-encoding': 'chunked' }]) {
      const { headers, payload } = asUpload(Buffer.alloc(size))
      const request = { method: 'POST', url, headers: { ...headers, ...chunked }, payload } as const
      const response = await app.inject(request)
      assert.equal(response.statusCode, 413, `${String(size)}: ${response.body}`)
      await assertNothingStored(app, folder, String(size))
    }
  }
  assert.equal((await upload(app, Buffer.alloc(1000))).size, 1000)
})

test('an error is text, a page or a problem, by Accept', async (t) => {
  const { app } = await openUploads(t)
  const cases: [accept: string, type: RegExp][] = [
    ['*/*', /^text\/plain/],
    [browserAccept, /^text\/html/],
    ['application/json', /^application\/problem\+json/],
  ]
  for (const [accept, type] of cases) {
    await t.test(accept, async () => {
      const { headers, payload } = asMultipart([file, file])
      const request = { method: 'POST', url, headers: { ...headers, accept }, payload } as const
      const response = await app.inject(request)
      assert.equal(response.statusCode, 400)
      assert.match(String(response.headers['content-type']), type)
      assert.match(response.body, /upfiles/)
    })
  }
})

test('without the multipart reader an upload gets 415 that names the setting', async (t) => {
  const { app, folder } = await openUploads(t, { BODY_READERS: 'json,form,text' })
  const response = await app.inject({ method: 'POST', url, ...asMultipart([file]) })
  assert.equal(response.statusCode, 415)
  assert.match(response.body, /BODY_READERS/)
  await assertNothingStored(app, folder, 'no reader')
})

test('the demo alone stores and shows uploads', async (t) => {
  const { app } = await openUploads(t, { DEMOS: 'uploads' })
  const { _id } = await upload(app, 'glass')
  assert.equal((await app.inject(`/uploads/${_id}`)).body, 'glass')
  assert.equal((await app.inject('/users')).statusCode, 404)
})

test('a missing folder gets 503 with Retry-After, and the response has no path', async (t) => {
  const { app, folder } = await openUploads(t)
  await rm(folder, { recursive: true })
  const response = await app.inject({ method: 'POST', url, ...asMultipart([file]) })
  assert.equal(response.statusCode, 503, response.body)
  assert.notEqual(response.headers['retry-after'], undefined)
  assert.ok(!response.body.includes(folder), response.body)
})

test('an uploaded text is compressed, also for HEAD', async (t) => {
  const app = await testApp(t)
  const long = 'water '.repeat(500)
  const { _id } = await upload(app, long, { type: 'text/plain' })
  const url = `/uploads/${_id}`
  const headers = { 'accept-encoding': 'br' }
  const got = await app.inject({ url, headers })
  const head = await app.inject({ method: 'HEAD', url, headers })
  assert.equal(brotliDecompressSync(got.rawPayload).toString(), long)
  for (const name of ['content-encoding', 'etag', 'content-length', 'content-type'])
    assert.equal(head.headers[name], got.headers[name], name)
})

test('an upload is recorded', async (t) => {
  const { app, id } = await openRecordedApp(t)
  const { headers, payload } = asUpload(Buffer.from('\xff\0', 'latin1'))
  const sent = await app.inject({
    method: 'POST',
    url: '/profile',
    headers: { ...headers, 'x-request-id': id },
    payload,
  })
  assert.equal(sent.statusCode, 200)
  const { requestBody, responseBody } = await findExchange(app, id)
  assert.deepEqual(requestBody, {
    size: payload.length,
    isCut: false,
    hex: payload.toString('hex'),
  })
  assert.equal(responseBody?.text, sent.body)
})
