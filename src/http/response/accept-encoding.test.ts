import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { useApp } from '../../../test/support/test-app.ts'

const decoders: Record<string, (bytes: Buffer) => Buffer> = {
  zstd: zstdDecompressSync,
  br: brotliDecompressSync,
  gzip: gunzipSync,
}

const shared = useApp()

const accepted: [field: string, coding: string | undefined][] = [
  ['gzip', 'gzip'],
  ['br', 'br'],
  ['zstd', 'zstd'],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['gzip, deflate, br', 'br'],
  ['GZIP', 'gzip'],
  ['*', 'zstd'],
  ['*;q=0.5, gzip', 'gzip'],
  ['zstd;q=0, *', 'br'],
  ['br;q=0.5, gzip;q=0.8', 'gzip'],
  ['br;q=0.8 , gzip ; q=0.8', 'br'],
  ['gzip;q=0.001', 'gzip'],
  ['identity;q=0, gzip', 'gzip'],
  ['identity, gzip', 'gzip'],
  ['identity;q=0.5, gzip;q=0.4', undefined],
  ['*;q=0.5, identity', undefined],
  ['identity', undefined],
  ['identity;q=0', undefined],
  ['*;q=0', undefined],
  ['gzip;q=0', undefined],
  ['deflate, compress', undefined],
  ['', undefined],
  // Invalid members are ignored.
  ['gzip;q=2', undefined],
  ['gzip;q=-1, br;q=1.0001, zstd;q=x', undefined],
  ['gzip;q=, br;level=5', undefined],
  ['gzip br', undefined],
  ['zstd;q=x, gzip;q=0.1', 'gzip'],
  [',,;;q=1,"br",gzip', 'gzip'],
  ['__proto__, constructor, gzip', 'gzip'],
  ['a,'.repeat(4000) + 'gzip', 'gzip'],
  [`gzip;q=0.${'1'.repeat(8000)}`, undefined],
  [' ; \t'.repeat(2000), undefined],
]

for (const [field, coding] of accepted) {
  test(`"${field.slice(0, 50)}" (${String(field.length)} bytes) gets ${coding ?? 'no coding'}`, async () => {
    const response = await shared().inject({ url: '/docs', headers: { 'accept-encoding': field } })
    assert.equal(response.statusCode, 200)
    assert.equal(response.headers['content-encoding'], coding)
    assert.match(String(response.headers.vary), /\bAccept-Encoding\b/)
    const decode = decoders[coding ?? '']
    const content = decode ? decode(response.rawPayload) : response.rawPayload
    assert.match(content.toString(), /^<!doctype html>[^]*<\/html>\s*$/)
  })
}

test('a short text is only compressed if identity is not acceptable', async () => {
  const app = shared()
  const find = async (field: string) =>
    (await app.inject({ url: '/mirror/query', headers: { 'accept-encoding': field } })).headers
  assert.equal((await find('gzip'))['content-encoding'], undefined)
  assert.equal((await find('gzip;q=0.5'))['content-encoding'], undefined)
  assert.equal((await find('gzip, identity;q=0'))['content-encoding'], 'gzip')
  const empty = { url: '/places.txt', headers: { 'accept-encoding': 'gzip, *;q=0' } }
  assert.equal((await app.inject(empty)).headers['content-length'], '0')
  assert.match(String((await find('gzip')).vary), /\bAccept-Encoding\b/)
})
