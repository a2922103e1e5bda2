import assert from 'node:assert/strict'
import { test } from 'node:test'
import zlib from 'node:zlib'
import { createBin } from '../../../test/support/bins.ts'
import { findExchange, startRecording } from '../../../test/support/recorded.ts'
import { catalogueApp, useApp } from '../../../test/support/test-app.ts'
import { mask } from '../../exchanges/exchange.ts'

const sharedApp = useApp({}, catalogueApp)

const { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } = zlib

const json = Buffer.from('{"password":"topsecret","a":"shown"}')
const masked = '{"password":"••••••","a":"shown"}'
const numbers = Array.from({ length: 60_000 }, (_, index) => String(index)).join()
const long = Buffer.from(`{"password":"topsecret","a":"${numbers}"}`)
const bomb = Buffer.alloc(4 * 1024 * 1024, ' ')
json.copy(bomb)

/** The text that the inspector shows begins with `shown`. */
const bodies: readonly (readonly [coding: string, what: string, body: Buffer, shown: string])[] = [
  ['gzip', 'one coding', gzipSync(json), masked],
  ['deflate', 'deflate without a header', deflateRawSync(json), masked],
  ['deflate', 'deflate with a header', deflateSync(json), masked],
  ['gzip, br', 'two codings', brotliCompressSync(gzipSync(json)), masked],
  [
    'x-gzip, identity, zstd, br',
    'three codings',
    brotliCompressSync(zstdCompressSync(gzipSync(json))),
    masked,
  ],
  ['gzip', 'more than 1 MiB', gzipSync(bomb), masked],
  ['gzip, br', 'more than 1 MiB in two codings', brotliCompressSync(gzipSync(bomb)), masked],
  ['gzip', 'a body that was cut', gzipSync(long), masked.slice(0, 25)],
  ['gzip, deflate', 'two codings that were cut', deflateSync(gzipSync(long)), masked.slice(0, 25)],
  ['gzip', 'a body that ends early', gzipSync(long).subarray(0, 9000), masked.slice(0, 25)],
  ['gzip', 'text that is not coded', json, masked],
  ['gzip', 'another coding', brotliCompressSync(long), mask],
  ['compress', 'an unknown coding', gzipSync(json), mask],
  ['gzip,gzip,gzip,gzip', 'too many codings', gzipSync(gzipSync(gzipSync(gzipSync(json)))), mask],
]

for (const [coding, what, payload, shown] of bodies) {
  test(`the bodies of a request and its response with ${what} have masks`, async () => {
    const { app, id } = await startRecording(sharedApp())
    const type = { 'content-type': 'application/json', 'content-encoding': coding }
    const headers = { ...type, 'x-request-id': id }
    await app.inject({ method: 'POST', url: '/responses/echo/body', headers, payload })
    const exchange = await findExchange(app, id)
    for (const body of [exchange.requestBody, exchange.responseBody])
      assert.equal(body?.text?.slice(0, shown.length), shown)
    assert.doesNotMatch(JSON.stringify(exchange), /topsecret|"hex"/)
  })
}

test('the page of a bin and its search have a body in two codings decoded', async () => {
  const app = sharedApp()
  const bin = await createBin(app)
  const headers = { 'content-encoding': 'gzip, br', 'content-type': 'application/json' }
  const payload = brotliCompressSync(gzipSync(json))
  await bin.send('', { method: 'POST', headers, payload })
  const [captured] = await bin.list()
  assert.equal(captured?.requestBody?.hex, payload.toString('hex'))
  const page = await bin.read(`/requests/${captured.id}`, { headers: { accept: 'text/html' } })
  assert.match(page.body, /topsecret/)
  assert.match((await bin.read('/requests?contains=shown')).body, /gzip, br/)
})

test('the page of a bin shows the bytes of a body that cannot be decoded', async () => {
  const app = sharedApp()
  const bin = await createBin(app)
  const headers = { 'content-encoding': 'compress' }
  await bin.send('', { method: 'POST', headers, payload: gzipSync(json) })
  const [captured] = await bin.list()
  const page = await bin.read(`/requests/${captured?.id ?? ''}`, {
    headers: { accept: 'text/html' },
  })
  assert.match(page.body, /1f 8b 08/)
})
