import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { createRecord, formType, without } from '../../../test/support/resources.ts'
import { catalogueApp, testApp, useApp, type TestApp } from '../../../test/support/test-app.ts'
import { things } from '../../../test/support/things.ts'
import { words } from '../../../test/support/words.ts'
import type { Demo } from '../../site/demo.ts'
import { demos } from '../../demos/catalogue.ts'
import { toResourceDemo } from '../../resources/routes.ts'

const decoders: Record<string, (bytes: Buffer) => Buffer> = {
  zstd: zstdDecompressSync,
  br: brotliDecompressSync,
  gzip: gunzipSync,
}
const long = 'water '.repeat(500)

/** Responses that no demo of the catalogue has. */
const samples: Demo = {
  name: 'samples',
  title: 'Samples',
  summary: 'Responses with any headers.',
  routes: () =>
    ['/samples/:kind', '/samples/raw'].map((url) => ({
      ...{ method: 'GET', url, summary: 'Return a long text' },
      config: { isRaw: url === '/samples/raw' },
      handler: (request, reply) => {
        const [name = '', value = ''] = headersByKind[request.url.slice(9)] ?? []
        return reply
          .type('text/plain')
          .headers({ [name]: value })
          .send(long)
      },
    })),
}
const headersByKind: Record<string, [name: string, value: string]> = {
  events: ['content-type', 'text/event-stream'],
  fixed: ['cache-control', 'public, no-transform'],
  private: ['cache-control', 'no-store'],
  encoded: ['content-encoding', 'gzip'],
  image: ['content-type', 'image/png'],
  svg: ['content-type', 'image/svg+xml'],
  xml: ['content-type', 'application/xml'],
  javascript: ['content-type', 'text/javascript; charset=utf-8'],
  yaml: ['content-type', 'application/yaml'],
  problem: ['content-type', 'application/problem+json'],
  raw: ['x-kind', 'raw'],
}

async function openFilled(t: Parameters<typeof testApp>[0]): Promise<TestApp> {
  const app = await testApp(t, { demos: [...demos, toResourceDemo(things), samples] })
  await createRecord(app, '/things', { name: 'Pier', active: true, any: 'water '.repeat(300) })
  return app
}

/** For requests that store nothing. */
const filled = useApp({}, openFilled)

async function findRecord(app: TestApp): Promise<string> {
  const list = await app.inject('/things.json')
  return `/things/${String(list.json<{ _id: string }[]>()[0]?._id)}`
}

const urls = words`
  / /docs /openapi.json /topic.html /assets/base.css /things /things.html /things.ndjson
  /things.csv?page=1 /problems RECORD RECORD.html RECORD.txt
`

for (const path of urls) {
  for (const [coding, decode] of Object.entries(decoders)) {
    test(`${path} as ${coding} has its own tag and length, also for HEAD, and gets 304`, async () => {
      const app = filled()
      const url = path.replace('RECORD', await findRecord(app))
      const send = async (headers: Record<string, string>, method: 'GET' | 'HEAD' = 'GET') =>
        app.inject({ method, url, headers })
      const plain = await send({})
      const accepts = { 'accept-encoding': coding }
      // The second response is the one that was kept.
      for (const got of [await send(accepts), await send(accepts)]) {
        assert.equal(got.headers['content-encoding'], coding)
        assert.deepEqual(decode(got.rawPayload), plain.rawPayload)
        assert.ok(got.rawPayload.length < plain.rawPayload.length)
        assert.equal(got.headers['content-length'], String(got.rawPayload.length))
        assert.equal(got.headers['accept-ranges'], undefined)
        assert.equal(got.headers.vary, plain.headers.vary)
        const variable = ['date', 'server-timing', 'x-request-id']
        const head = await send(accepts, 'HEAD')
        assert.deepEqual(without(head.headers, ...variable), without(got.headers, ...variable))
        assert.equal(head.body, '')

        const etag = String(got.headers.etag)
        assert.equal(etag, String(plain.headers.etag).replace(/"$/, `+${coding}"`))
        for (const tag of [etag, `"other", ${etag}`, etag.replace('W/', '')]) {
          const same = await send({ ...accepts, 'if-none-match': tag })
          assert.deepEqual([same.statusCode, same.body, same.headers.etag], [304, '', etag])
          assert.equal(same.headers.vary, got.headers.vary)
          for (const name of ['content-encoding', 'content-length'])
            assert.equal(same.headers[name], undefined)
        }
        const { statusCode } = await send({ 'if-none-match': etag })
        assert.equal(statusCode, 200, 'the tag of a coding that the client does not accept')
        const stored = await send({ ...accepts, 'if-none-match': String(plain.headers.etag) })
        assert.deepEqual([stored.statusCode, stored.headers.etag], [304, plain.headers.etag])
      }
    })
  }
}

for (const kind of ['svg', 'xml', 'javascript', 'yaml', 'problem']) {
  test(`${kind} is compressed`, async () => {
    const url = `/samples/${kind}`
    const response = await filled().inject({ url, headers: { 'accept-encoding': 'gzip' } })
    assert.equal(response.headers['content-encoding'], 'gzip')
    assert.equal(gunzipSync(response.rawPayload).toString(), long)
  })
}

const uncompressed = [
  ['an event stream', '/samples/events'],
  ['a response with no-transform', '/samples/fixed'],
  ['a response with no-store', '/samples/private'],
  ['a raw response', '/samples/raw'],
  ['an image', '/samples/image'],
  ['the login page', '/login?name=' + 'x'.repeat(2000)],
  ['an error that repeats the input', '/' + 'x'.repeat(2000)],
  ['a page with a message', '/things.html', { cookie: 'flash=saved' }],
] as const

for (const [title, url, headers] of uncompressed) {
  test(`${title} is not compressed`, async () => {
    const response = await filled().inject({
      url,
      headers: { accept: 'text/html, */*', 'accept-encoding': 'gzip', ...headers },
    })
    assert.equal(response.headers['content-encoding'], undefined)
    assert.ok(response.rawPayload.length > 0)
  })
}

test('what has a coding keeps it', async () => {
  const headers = { 'accept-encoding': 'br' }
  const response = await filled().inject({ url: '/samples/encoded', headers })
  assert.deepEqual([response.headers['content-encoding'], response.body], ['gzip', long])
})

test('a record can be changed with the tag of a compressed response, once', async (t) => {
  const app = await openFilled(t)
  const url = await findRecord(app)
  for (const coding of Object.keys(decoders)) {
    await t.test(coding, async () => {
      const accepts = { accept: 'application/json', 'accept-encoding': coding }
      const etag = String((await app.inject({ url, headers: accepts })).headers.etag)
      assert.match(etag, new RegExp(String.raw`^"[^"]+\+${coding}"$`))
      const patch = async (headers: Record<string, string>) =>
        app.inject({
          method: 'PATCH',
          url,
          headers: { ...accepts, prefer: 'return=representation', ...headers },
          payload: { name: coding },
        })
      assert.equal((await patch({ 'if-none-match': etag })).statusCode, 412)
      const changed = await patch({ 'if-match': etag })
      assert.equal(changed.statusCode, 200)
      assert.equal(changed.headers['content-encoding'], coding)
      assert.equal((await patch({ 'if-match': etag })).statusCode, 412)
      assert.equal((await patch({ 'if-match': String(changed.headers.etag) })).statusCode, 200)
      const form = { 'content-type': formType, accept: 'text/html' }
      const payload = `_if_match=${encodeURIComponent(etag)}&name=x`
      const outdated = await app.inject({ method: 'PATCH', url, headers: form, payload })
      assert.equal(outdated.statusCode, 412)
    })
  }
})

test('a range is of the content without a coding', async () => {
  const app = filled()
  const headers = { 'accept-encoding': 'gzip', range: 'bytes=0-1499' }
  const send = async (more = {}) =>
    app.inject({ url: '/topic.html', headers: { ...headers, ...more } })
  const plain = await app.inject('/topic.html')
  const part = await send({ 'if-range': String(plain.headers.etag) })
  assert.equal(part.statusCode, 206)
  assert.equal(part.headers['content-encoding'], undefined)
  assert.equal(part.headers.etag, plain.headers.etag)
  assert.deepEqual(part.rawPayload, plain.rawPayload.subarray(0, 1500))
  // A part of the content cannot be added to a compressed one.
  const whole = await send({ 'if-range': String(plain.headers.etag).replace(/"$/, '+gzip"') })
  assert.deepEqual([whole.statusCode, whole.headers['content-encoding']], [200, 'gzip'])
})

for (const url of ['/', '/docs', '/topic.html', '/things.json?page=1']) {
  test(`a digest of ${url} is of the bytes that are sent`, async () => {
    const headers = {
      'accept-encoding': 'gzip',
      'want-repr-digest': 'sha-256=1',
      'want-content-digest': 'sha-256=1',
    }
    const { rawPayload, headers: got } = await filled().inject({ url, headers })
    const digest = `sha-256=:${createHash('sha256').update(rawPayload).digest('base64')}:`
    assert.deepEqual([got['repr-digest'], got['content-digest']], [digest, digest])
  })
}

test('an Idempotency-Key replays the same response to a client that accepts no coding', async (t) => {
  const app = await openFilled(t)
  const create = async (headers: Record<string, string>) =>
    app.inject({
      method: 'POST',
      url: '/things',
      headers: { accept: 'application/json', 'idempotency-key': '"pier"', ...headers },
      payload: { name: 'Pier', active: true, any: 'water '.repeat(300) },
    })
  const first = await create({ 'accept-encoding': 'gzip' })
  const again = await create({})
  assert.deepEqual([again.statusCode, again.json()], [201, first.json()])
  assert.equal(again.headers['content-encoding'], undefined)
})

test('COMPRESSION=off sends content as it is, without Vary: Accept-Encoding', async (t) => {
  const app = await catalogueApp(t, { settings: { COMPRESSION: 'off' } })
  const { headers } = await app.inject({ url: '/docs', headers: { 'accept-encoding': 'gzip' } })
  assert.equal(headers['content-encoding'], undefined)
  assert.doesNotMatch(String(headers.vary), /Accept-Encoding/)
})
