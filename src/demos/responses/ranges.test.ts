import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendRaw } from '../../../test/support/request-both-ways.ts'
import { useApp } from '../../../test/support/test-app.ts'

const sharedApp = useApp()

const body = '0123456789'
const range = { range: 'bytes=3-' }

const date = 'Tue, 01 Jan 2019 00:00:00 GMT'
const dated = `header=Last-Modified:${date.replaceAll(' ', '+')}`

const cases: readonly (readonly [
  query: string,
  headers: Readonly<Record<string, string>>,
  status: number,
  expected: string,
  contentRange?: string,
])[] = [
  ['ranges=1', {}, 200, body],
  ['ranges=1', range, 206, '3456789', 'bytes 3-9/10'],
  ['ranges', { range: 'bytes=3-6' }, 206, '3456', 'bytes 3-6/10'],
  ['ranges=1&chunk_size=2', { range: 'bytes=3-6' }, 206, '3456', 'bytes 3-6/10'],
  ['ranges=1', { range: 'bytes=-2', 'if-range': '"a"' }, 206, '89', 'bytes 8-9/10'],
  ['ranges=1', { ...range, 'if-range': '"b"' }, 200, body],
  ['ranges=1', { ...range, 'if-range': 'W/"a"' }, 200, body],
  ['ranges=1', { range: 'bytes=1-2,4-5' }, 200, body],
  [`ranges=1&${dated}`, { ...range, 'if-range': date }, 206, '3456789', 'bytes 3-9/10'],
  [`ranges=1&${dated}`, { ...range, 'if-range': date.replace('2019', '2018') }, 200, body],
  [`ranges=1&${dated}`, { ...range, 'if-range': '' }, 200, body],
  ['ranges=1', { ...range, 'if-range': date }, 200, body],
  ['ranges=1&header=Last-Modified:soon', { ...range, 'if-range': 'soon' }, 200, body],
  ['ranges=1&status=503', range, 503, body],
  ['ranges=0', range, 200, body],
]

for (const [query, headers, status, expected, contentRange] of cases) {
  test(`${query} and ${JSON.stringify(headers)} get ${String(status)}`, async () => {
    const app = sharedApp()
    const url = `/responses/custom?body=${body}&header=ETag:+"a"&${query}`
    const response = await app.inject({ url, headers })
    assert.deepEqual([response.statusCode, response.body], [status, expected])
    assert.equal(response.headers['content-range'], contentRange)
  })
}

test('with ranges, a range after the end gets 416 with the length', async () => {
  const app = sharedApp()
  const url = `/responses/custom?body=${body}&ranges=1`
  const { statusCode, headers } = await app.inject({ url, headers: { range: 'bytes=10-' } })
  assert.deepEqual([statusCode, headers['content-range']], [416, 'bytes */10'])
})

test('a download that broke in a sequence is resumed', async () => {
  const app = sharedApp()
  const query = `steps=short-body,200&ranges=1&header=ETag:+%22a%22&body=${body}`
  const get = (fields: string) =>
    sendRaw(
      app,
      `GET /responses/sequence/download?${query} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${fields}\r\n`,
    )
  const first = await get('')
  assert.match(
    first,
    /^HTTP\/1\.1 200 [^]*accept-ranges: bytes[^]*content-length: 10\r\n[^]*\r\n\r\n01234$/i,
  )
  const rest = await get('Range: bytes=5-\r\nIf-Range: "a"\r\n')
  assert.match(rest, /^HTTP\/1\.1 206 [^]*content-range: bytes 5-9\/10\r\n[^]*\r\n\r\n56789$/i)
})
