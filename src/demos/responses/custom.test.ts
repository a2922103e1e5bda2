import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect, type IncomingHttpHeaders } from 'node:http2'
import { connect as connectSocket } from 'node:net'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import * as zlib from 'node:zlib'
import { makeCertificate } from '../../../test/support/tls-client.ts'
import { sendRaw } from '../../../test/support/request-both-ways.ts'
import { testApp, useApp } from '../../../test/support/test-app.ts'

const sharedApp = useApp()

const path = '/responses/custom'

function toUrl(description: unknown): string {
  return `${path}?description=${encodeURIComponent(JSON.stringify(description))}`
}

/** What is sent: a query, or a description. Which bytes follow, without the headers of the service. */
const sent: readonly (readonly [string | object, readonly string[], string?])[] = [
  ['', ['HTTP/1.1 200 OK', 'content-length: 0'], ''],
  ['status=599', ['HTTP/1.1 599 unknown']],
  ['body=abc', ['Content-Type: text/plain; charset=utf-8', 'content-length: 3'], 'abc'],
  ['json={"a":[1]}', ['Content-Type: application/json', 'content-length: 9'], '{"a":[1]}'],
  ['json=null', ['Content-Type: application/json'], 'null'],
  ['base64=YWI%2b', ['Content-Type: application/octet-stream'], 'ab>'],
  ['base64=YWI+', [], 'ab>'],
  ['body=a&type=text/x-own', ['Content-Type: text/x-own']],
  ['body=a&header=content-type:+text/x-own', ['content-type: text/x-own']],
  ['header=X-Odd-CASE:1&header=b:+x:y', ['X-Odd-CASE: 1', 'b: x:y']],
  ['header=X-A:1&header=X-A:2', ['X-A: 1', 'X-A: 2']],
  [{ headers: { 'X-A': ['1', 'ä'] } }, ['X-A: 1', 'X-A: Ã¤']],
  ['cookie=a%3d1;+Max-Age%3d60&cookie=b%3d2', ['Set-Cookie: a=1; Max-Age=60; Path=/responses']],
  ['body=abcdef&chunk_size=4', ['transfer-encoding: chunked'], '4\r\nabcd\r\n2\r\nef\r\n0\r\n\r\n'],
  ['body=abc&chunk_size=2&pause=0.01', [], '2\r\nab\r\n1\r\nc\r\n0\r\n\r\n'],
  ['body=abc&chunk_size=2&framing=length', ['content-length: 3'], 'abc'],
  ['body=abc&framing=chunked', [], '3\r\nabc\r\n0\r\n\r\n'],
  ['framing=chunked', [], '0\r\n\r\n'],
  ['body=abc&framing=close', ['connection: close'], 'abc'],
  ['body=abc&trailer=X-T:+1', ['trailer: x-t'], '3\r\nabc\r\n0\r\nx-t: 1\r\n\r\n'],
  ['body=abc&close', ['connection: close', 'content-length: 3'], 'abc'],
  ['status=204', ['HTTP/1.1 204 No Content'], ''],
  ['status=304&header=ETag:"a"', ['HTTP/1.1 304 Not Modified', 'ETag: "a"'], ''],
]

for (const [given, lines, body] of sent) {
  const url = typeof given === 'string' ? `${path}?${given}` : toUrl(given)
  test(`the response of ${typeof given === 'string' ? given : JSON.stringify(given)}`, async () => {
    const app = sharedApp()
    const message = `GET ${url} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`
    const [head = '', ...rest] = (await sendRaw(app, message)).split('\r\n\r\n')
    for (const line of lines) {
      assert.ok(head.split('\r\n').includes(line), `${line}\n${head}`)
    }
    if (body !== undefined) assert.equal(rest.join('\r\n\r\n'), body)
  })
}

test('the pauses may take all of MAX_DURATION_SECONDS, and not more', async (t) => {
  const app = await testApp(t, { settings: { MAX_DURATION_SECONDS: '0.1' } })
  for (const [body, status] of [
    ['ab', 200],
    ['abc', 400],
  ] as const) {
    const url = `${path}?body=${body}&chunk_size=1&pause=0.1`
    assert.equal((await app.inject(url)).statusCode, status)
  }
})

test('HEAD has the headers of GET, and the next response on the connection follows', async (t) => {
  const app = sharedApp()
  for (const query of ['body=abc', 'body=abc&chunk_size=1', 'body=abc&trailer=X-T:1&encoding=br']) {
    await t.test(query, async () => {
      const toMessage = (method: string) =>
        `${method} ${path}?${query} HTTP/1.1\r\nHost: a.localhost\r\n`
      const [head = '', get = ''] = (
        await sendRaw(app, `${toMessage('HEAD')}\r\n${toMessage('GET')}Connection: close\r\n\r\n`)
      ).split('\r\n\r\n')
      const toLines = (text: string) =>
        text
          .split('\r\n')
          .filter((line) => !/^(connection|keep-alive|date|trailer|x-request-id):/i.test(line))
      assert.deepEqual(toLines(head), toLines(get))
    })
  }
})

test('a client of HTTP/1.0 gets neither chunks, trailers nor early hints', async () => {
  const app = sharedApp()
  const url = `${path}?body=abc&chunk_size=1&trailer=X-T:1&early_hint=Link:+</a>`
  const text = await sendRaw(app, `GET ${url} HTTP/1.0\r\n\r\n`)
  assert.match(text, /^HTTP\/1\.1 200 OK\r\n/)
  assert.doesNotMatch(text, /chunked|x-t/i)
  assert.ok(text.endsWith('\r\n\r\nabc'))
})

for (const [name, decode] of Object.entries({
  gzip: zlib.gunzipSync,
  br: zlib.brotliDecompressSync,
  zstd: zlib.zstdDecompressSync,
  deflate: zlib.inflateSync,
})) {
  test(`a body in the ${name} coding`, async () => {
    const app = sharedApp()
    const { headers, rawPayload } = await app.inject(
      `${path}?body=${'abc'.repeat(100)}&encoding=${name}`,
    )
    assert.equal(headers['content-encoding'], name)
    assert.equal(headers['content-length'], String(rawPayload.length))
    assert.equal(decode(rawPayload).toString(), 'abc'.repeat(100))
  })
}

test('early hints come before the delay, and the response after it', async () => {
  const app = sharedApp()
  const url = toUrl({ delay: 0.2, early_hints: { Link: ['</a>', '</b>'] }, body: 'x' })
  const startedAt = performance.now()
  const text = await sendRaw(
    app,
    `GET ${url} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
  )
  assert.ok(performance.now() - startedAt >= 195)
  assert.match(
    text,
    /^HTTP\/1\.1 103 Early Hints\r\nlink: <\/a>, <\/b>\r\n[^]*\r\n\r\nHTTP\/1\.1 200 OK/,
  )
})

test('a description in a body is JSON of any type, and the query comes first', async () => {
  const app = sharedApp()
  const payload = JSON.stringify({ status: 201, json: { a: 1 } })
  for (const method of ['POST', 'PUT', 'PATCH'] as const) {
    const { statusCode, body } = await app.inject({ method, url: path, payload })
    assert.deepEqual([statusCode, body], [201, '{"a":1}'])
  }
  assert.equal(
    (await app.inject({ method: 'POST', url: `${path}?status=202`, payload })).statusCode,
    202,
  )
  assert.equal((await app.inject({ method: 'DELETE', url: `${path}?status=202` })).statusCode, 202)
})

const invalid: readonly (readonly [string | object, RegExp])[] = [
  ['status=99', /status must be at least 200/],
  ['status=abc', /status must be a whole number/],
  ['status=200&status=201', /status is given more than once/],
  [
    'color=red',
    /color is not allowed: the parameters are description, status, header, header_base64, type, /,
  ],
  ['retry_after=1', /retry_after is not allowed: use header=Retry-After:1\./],
  ['steps=503', /steps is not allowed: use \/responses\/sequence\./],
  ['header=abc', /header must have the form "Name: value"/],
  ['header=a%20b:c', /headers\.a b is not a valid name of a header/],
  ['cookie=abc', /cookies\[0\] must have the form name=value/],
  ['json=%7B', /json is not valid JSON/],
  ['base64=***', /base64 is not valid Base64/],
  ['body=a&json=1', /json cannot be used with body/],
  ['pause=1&body=a', /pause needs chunk_size/],
  ['seconds=1', /seconds needs fault/],
  ['cookies=a=1', /cookies is a member of JSON\. Use cookie=…\./],
  ['description=%7B%7D&status=201', /status cannot be used with description/],
  ['close=maybe', /close must be true or false/],
  ['framing=none', /framing must be one of length, chunked, close/],
  ['trailer=X-T:1&framing=close', /trailers need framing chunked/],
  ['trailer=Content-Length:1', /trailers must not have Content-Length/],
  ['status=204&body=a', /body is impossible: a response with status 204 has no body/],
  [
    'delay=11',
    /delay is too long: the response must take at most 10 seconds \(MAX_DURATION_SECONDS\)/,
  ],
  ['body=abc&chunk_size=1&pause=6', /pause is too long: the response must take at most 10 seconds/],
  [
    'body=a&chunk_size=1&pause=9&encoding=gzip',
    /pause is too long: the response must take at most 10 seconds/,
  ],
  ['description=%7B', /description is not valid JSON/],
  ['description=null', /The description must be an object/],
  [
    { headers: { a: 1, b: ['x', 2] } },
    /headers\.a must be text or a list of texts; headers\.b must/,
  ],
  [{ body: 1 }, /body must be text/],
]

for (const [given, message] of invalid) {
  const text = typeof given === 'string' ? given : JSON.stringify(given).slice(0, 80)
  test(`the error of ${text} names the member`, async () => {
    const app = sharedApp()
    const url = typeof given === 'string' ? `${path}?${given}` : toUrl(given)
    const { statusCode, body } = await app.inject(url)
    assert.equal(statusCode, 400)
    assert.match(body, message)
  })
}

test('a body and headers over the limits get 400', async (t) => {
  const app = await testApp(t, { settings: { MAX_BODY_BYTES: '20', MAX_HEADER_BYTES: '2000' } })
  const send = async (description: object) => (await app.inject(toUrl(description))).body
  assert.match(await send({ body: 'x'.repeat(21) }), /body is longer than 20 bytes/)
  assert.match(await send({ headers: { a: 'x'.repeat(2000) } }), /headers has more than 2,000/)
  assert.match(await send({ headers: { a: Array(500).fill('') } }), /headers has more than 2,000/)
  const large = await testApp(t)
  const payload = { body: 'x'.repeat(10_001), chunk_size: 1 }
  const { body } = await large.inject({ method: 'POST', url: path, payload })
  assert.match(body, /chunk_size divides the body into more than 10,000 chunks/)
})

const long: Readonly<Record<string, object>> = {
  'values of a header': { headers: { a: Array(100_000).fill(1) } },
  'empty values of a header': { headers: { a: Array(100_000).fill('') } },
  cookies: { cookies: Array(100_000).fill('') },
  'unknown members': Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [index, 1])),
  steps: { sequence: Array(50_000).fill({ pause: 1 }) },
}

for (const [name, payload] of Object.entries(long)) {
  test(`many wrong ${name} get a short error`, async () => {
    const app = sharedApp()
    const { statusCode, body } = await app.inject({ method: 'POST', url: path, payload })
    assert.equal(statusCode, 400)
    assert.match(body, /does not fit its schema|cookies\[0\]|MAX_HEADER_BYTES/)
    assert.ok(body.length < 1000)
  })
}

test('over HTTP/2: headers, 103, chunks, trailers, and GOAWAY for close', async (t) => {
  const app = await testApp(t, { settings: await makeCertificate(t) })
  const session = connect(await app.listen({ host: '127.0.0.1', port: 0 }), {
    rejectUnauthorized: false,
  })
  t.after(() => {
    session.destroy()
  })
  const send = async (description: object) => {
    const stream = session.request({ ':path': toUrl(description) })
    const [hints, trailers]: IncomingHttpHeaders[] = [{}, {}]
    stream.on('headers', (given: IncomingHttpHeaders) => Object.assign(hints ?? {}, given))
    stream.on('trailers', (given: IncomingHttpHeaders) => Object.assign(trailers ?? {}, given))
    const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders]
    return { headers, hints, trailers, body: String(await buffer(stream)) }
  }
  const fields = { Link: ['</a>', '</b>'] }
  const all = { early_hints: fields, headers: { 'X-A': ['1', '2'], ETag: ['"a"', '"b"'] } }
  const one = await send({ ...all, trailers: { 'X-T': ['1', '2'] }, body: 'abcd', chunk_size: 1 })
  assert.deepEqual([one.hints?.[':status'], one.hints?.link], [103, '</a>, </b>'])
  assert.deepEqual([one.headers['x-a'], one.body, one.trailers?.['x-t']], ['1, 2', 'abcd', '2'])
  for (const framing of ['length', 'chunked']) {
    assert.equal((await send({ framing, body: 'abc' })).body, 'abc')
  }
  const gone = once(session, 'goaway')
  assert.equal((await send({ close: true, body: 'abc' })).body, 'abc')
  await gone
})

test('over HTTP/2, the longest headers do not end the connection', async (t) => {
  const app = await testApp(t, { settings: await makeCertificate(t) })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const session = connect(origin, { rejectUnauthorized: false })
  t.after(() => {
    session.destroy()
  })
  const long = '€'.repeat(16_000)
  const description = { headers: { 'X-A': long }, type: long, cookies: [`a=${long}`] }
  const stream = session.request({ ':path': path, ':method': 'POST' })
  stream.end(JSON.stringify(description))
  const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders]
  assert.equal(headers['x-a']?.length, 48_000)
})

test('a client that leaves during the encoding causes no error', async (t) => {
  const app = await testApp(t)
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const socket = connectSocket({ host: '127.0.0.1', port: Number(port) })
  const body = randomBytes(500_000).toString('hex')
  const description = JSON.stringify({ body, encoding: 'br', chunk_size: 1000 })
  const length = String(description.length)
  socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\n`)
  socket.write(description)
  const [request, response] = (await once(app.server, 'request')) as [Readable, ServerResponse]
  if (!request.readableEnded) await once(request, 'end')
  socket.resetAndDestroy()
  if (!response.closed) await once(response, 'close')
  // The encoding of this one ends later.
  const payload = { body, encoding: 'br' }
  assert.equal((await app.inject({ method: 'POST', url: path, payload })).statusCode, 200)
})
