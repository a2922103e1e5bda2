import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import * as zlib from 'node:zlib'
import { mirror } from '../../../test/support/mirror.ts'
import { sendToMirror } from '../../../test/support/mirrored-body.ts'
import { asUpload } from '../../../test/support/multipart-form.ts'
import { useApp } from '../../../test/support/test-app.ts'
import { assertNothingStored, useUploads } from '../../../test/support/uploads.ts'

const formType = 'application/x-www-form-urlencoded'
const none = (bytes: Buffer) => bytes
// The usual quality takes most of the time of these tests.
const params = { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 }
const toBrotli = (bytes: Buffer) => zlib.brotliCompressSync(bytes, { params })

/** How clients write each coding. */
const encoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: zlib.gzipSync,
  'X-Gzip': zlib.gzipSync,
  br: toBrotli,
  zstd: zlib.zstdCompressSync,
  deflate: zlib.deflateSync,
  ' identity , Deflate': zlib.deflateRawSync,
  'gzip, br': (bytes) => toBrotli(zlib.gzipSync(bytes)),
  'zstd,deflate,gzip': (bytes) => zlib.gzipSync(zlib.deflateSync(zlib.zstdCompressSync(bytes))),
  Identity: none,
}

const mirrored = useApp({ demos: [mirror] })
/** For uploads that fail, and for those that are stored. */
const [emptyUploads, uploaded] = [useUploads(), useUploads()]
const limits = { MAX_BODY_BYTES: '10000', MAX_UPLOAD_BYTES: '10000' }
const limitedMirror = useApp({ demos: [mirror], settings: limits })
const limitedUploads = useUploads(limits)

for (const [coding, encode] of Object.entries(encoders)) {
  const headers = { 'content-encoding': coding }

  test(`a body with the coding ${coding} is decoded for every reader`, async () => {
    const app = mirrored()
    const rows: [type: string | undefined, body: string, seen: string][] = [
      [undefined, '{"a":1}', '{"a":1}'],
      ['application/json', '{"a":1}', '{"a":1}'],
      [formType, 'a[b]=1', '{"a":{"b":"1"}}'],
      ['text/plain', 'a', '"a"'],
      ['application/xml', '<a/>', 'absent'],
    ]
    for (const [type, body, seen] of rows) {
      const response = await sendToMirror(app, type, encode(Buffer.from(body)), headers)
      assert.deepEqual([type, ...response], [type, 200, seen])
    }
    assert.deepEqual(await sendToMirror(app, 'application/json', '', headers), [200, 'absent'])
  })

  test(`an upload with the coding ${coding} is stored decoded`, async () => {
    const { app } = uploaded()
    const content = Buffer.concat([randomBytes(300_000), Buffer.alloc(300_000)])
    const form = asUpload(content)
    const more = { ...form.headers, ...headers, accept: 'application/json' }
    const request = { method: 'POST', url: '/profile', headers: more } as const
    const response = await app.inject({ ...request, payload: encode(form.payload) })
    assert.equal(response.statusCode, 200, response.body)
    const { rawPayload } = await app.inject(String(response.headers.location))
    assert.ok(rawPayload.equals(content))
  })

  test(`the limits hold for the decoded size of the coding ${coding}`, async () => {
    const app = limitedMirror()
    const { app: uploads, folder } = limitedUploads()
    // Random letters, which take about as many bytes when they are encoded.
    const text = (size: number) => randomBytes(size).toString('base64').slice(0, size)
    for (const [size, status] of [
      [10_000, 200],
      [10_001, 413],
      [500_000, 413],
    ] as const) {
      const [seen] = await sendToMirror(app, 'text/plain', encode(Buffer.from(text(size))), headers)
      assert.deepEqual([size, seen], [size, status])
      const { headers: type, payload } = asUpload(randomBytes(size))
      const request = { method: 'POST', url: '/profile', headers: { ...type, ...headers } } as const
      const response = await uploads.inject({ ...request, payload: encode(payload) })
      assert.deepEqual([size, response.statusCode], [size, status], response.body)
      if (status === 200)
        await uploads.inject({ method: 'DELETE', url: String(response.headers.location) })
    }
    await assertNothingStored(uploads, folder, coding)
  })

  if (encode === none) continue

  test(`a bomb with the coding ${coding} gets 413`, async () => {
    const zeros = Buffer.alloc(2 * 1024 ** 2)
    const bomb = await sendToMirror(limitedMirror(), 'text/plain', encode(zeros), headers)
    assert.deepEqual(bomb, [413, undefined])
    const { app: uploads, folder } = limitedUploads()
    const { headers: type, payload } = asUpload(zeros)
    const request = { method: 'POST', url: '/profile', headers: { ...type, ...headers } } as const
    const response = await uploads.inject({ ...request, payload: encode(payload) })
    assert.equal(response.statusCode, 413, response.body)
    await assertNothingStored(uploads, folder, coding)
  })

  test(`a body that is cut or changed, with the coding ${coding}, gets 400`, async () => {
    const app = mirrored()
    const { app: uploads, folder } = emptyUploads()
    const form = asUpload('glass')
    const whole = encode(Buffer.from('{"a":1}'))
    const upload = encode(form.payload)
    for (const change of [
      (bytes: Buffer) => bytes.subarray(0, -1),
      (bytes: Buffer) => bytes.subarray(0, 2),
      (bytes: Buffer) => Buffer.concat([bytes, Buffer.from('more')]),
      () => Buffer.from('no such coding'),
    ]) {
      const response = await sendToMirror(app, 'application/json', change(whole), headers)
      assert.deepEqual(response, [400, undefined], String(change))
      const request = { method: 'POST', url: '/profile' } as const
      const all = { ...form.headers, ...headers }
      const stored = await uploads.inject({ ...request, headers: all, payload: change(upload) })
      assert.equal(stored.statusCode, 400, String(change))
      await assertNothingStored(uploads, folder, String(change))
    }
  })
}

test('several members of gzip are one body', async () => {
  const app = mirrored()
  const body = Buffer.concat([zlib.gzipSync('{"a"'), zlib.gzipSync(':1}')])
  const headers = { 'content-encoding': 'gzip' }
  assert.deepEqual(await sendToMirror(app, 'application/json', body, headers), [200, '{"a":1}'])
})

// RFC 9659: a decoder with a window of 128 MiB would need as much memory.
test('zstd with a window of more than 8 MiB gets 400', async () => {
  const app = mirrored()
  const params = { [zlib.constants.ZSTD_c_windowLog]: 27 }
  const body = zlib.zstdCompressSync(Buffer.alloc(9 * 1024 ** 2), { params })
  const headers = { 'content-encoding': 'zstd' }
  assert.deepEqual(await sendToMirror(app, 'text/plain', body, headers), [400, undefined])
})

const unsupported: readonly [coding: string, detail: string][] = [
  ...['compress', 'lzma', 'aws-chunked', '__proto__', 'gzip;q=1'].map((coding) =>
    toUnknown(coding),
  ),
  toUnknown('unknown', 'gzip, unknown'),
  toUnknown('lzma', 'gzip,br,gzip,LZMA'),
  ['gzip,br,gzip,br', 'Content-Encoding can have at most 3 codings.'],
]

function toUnknown(coding: string, sent = coding): [coding: string, detail: string] {
  return [sent, `The coding ${coding} is not supported. Use gzip, br, zstd or deflate.`]
}

const catalogue = useApp({ settings: { DEMOS: 'bodies,users,uploads' } })
for (const [coding, detail] of unsupported) {
  test(`the coding ${coding} gets 415 with the codings that are decoded`, async () => {
    for (const [url, type] of [
      ['/users/post', 'application/json'],
      ['/users', 'application/json'],
      ['/profile', 'multipart/form-data; boundary=b'],
    ] as const) {
      const headers = { 'content-type': type, 'content-encoding': coding }
      const request = { method: 'POST', url, headers, payload: '1' } as const
      const response = await catalogue().inject(request)
      const { 'accept-encoding': accepted } = response.headers
      assert.deepEqual([response.statusCode, accepted], [415, 'gzip, br, zstd, deflate'])
      assert.ok(response.body.includes(detail), response.body)
    }
  })
}

test('digests of a request are of the encoded bytes', async () => {
  const app = mirrored()
  const plain = Buffer.from('{"a":1}')
  const encoded = zlib.gzipSync(plain)
  const toDigest = (bytes: Buffer) =>
    `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`
  for (const name of ['content-digest', 'repr-digest']) {
    for (const [bytes, status] of [
      [encoded, 200],
      [plain, 400],
    ] as const) {
      const headers = { 'content-encoding': 'gzip', [name]: toDigest(bytes) }
      const [seen] = await sendToMirror(app, 'application/json', encoded, headers)
      assert.deepEqual([name, seen], [name, status])
    }
  }
})

test('a method in an encoded form overrides that of the request line', async () => {
  const app = mirrored()
  const headers = { 'content-type': formType, 'content-encoding': 'br' }
  const payload = zlib.brotliCompressSync('_method=PUT&a=1')
  const response = await app.inject({ method: 'POST', url: '/mirror', headers, payload })
  assert.deepEqual([response.headers['x-method'], response.headers['x-body']], ['PUT', '{"a":"1"}'])
})
