import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { connect } from 'node:http2'
import { once } from 'node:events'
import { test } from 'node:test'
import { openSocket, sendRaw, toRequest } from '../../../test/support/watched-vitrine.ts'
import { makeCertificate } from '../../../test/support/tls-client.ts'
import {
  findExchange,
  findExchanges,
  openRecordedApp,
  startRecording,
  type Headers,
} from '../../../test/support/recorded.ts'
import { formType } from '../../../test/support/resources.ts'
import { catalogueApp, useApp } from '../../../test/support/test-app.ts'
import { startVitrine } from '../../../test/support/start-vitrine.ts'
import type { Exchange } from '../../exchanges/exchange.ts'

const sharedApp = useApp({}, catalogueApp)

for (const version of ['1.0', '1.1']) {
  test(`the heads of an exchange over HTTP/${version} are shown as they were sent`, async () => {
    const { app, origin, id } = await startRecording(sharedApp())
    const fields = ['Host: localhost', 'X-b: 2', 'x-A: 1', 'X-b:  3', `X-Request-Id: ${id}`]
    const line = `GET /mirror/query?a=%41&a=//b HTTP/${version}`
    const head = toRequest(line, [...fields, 'Connection: close'])
    const { text } = await sendRaw(origin, head)
    const exchange = await findExchange(app, id)
    const [requestLine, ...requestFields] = head.replace('  3', ' 3').trimEnd().split('\r\n')
    assert.deepEqual(exchange.requestHead.trimEnd().split('\n'), [requestLine, ...requestFields])
    const [responseHead] = text.split('\r\n\r\n')
    assert.equal(exchange.responseHead.trimEnd(), responseHead?.replaceAll('\r\n', '\n'))
  })
}

const chunked = '/responses/custom?body=a&framing=chunked'
for (const path of [
  '/people',
  '/health',
  '/httpbin/get',
  '/mirror/status/204',
  '/httpbin/stream/2',
  chunked,
]) {
  test(`the fields that Node adds to the response of ${path} are shown too`, async () => {
    const { app, origin, id } = await startRecording(sharedApp())
    const socket = openSocket(origin)
    socket.write(toRequest(`GET ${path} HTTP/1.1`, ['Host: localhost', `X-Request-Id: ${id}`]))
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    socket.destroy()
    const [responseHead = ''] = chunk.toString('latin1').split('\r\n\r\n')
    const toLines = (head: string) => head.trimEnd().split(/\r?\n/).toSorted()
    assert.deepEqual(toLines((await findExchange(app, id)).responseHead), toLines(responseHead))
  })
}

const long = 'é'.repeat(50_000)

const bodies: readonly (readonly [
  what: string,
  path: string,
  type: string,
  body: string,
  expected: object,
])[] = [
  ['a body that is parsed', '/users/post', 'application/json', '{"a":"é"}', { text: '{"a":"é"}' }],
  ['a form', '/mirror/field', formType, 'a=%41&b', { text: 'a=%41&b' }],
  ['invalid JSON', '/users/post', 'application/json', '{"a', { text: '{"a' }],
  ['a body of a raw path', '/httpbin/post', 'text/plain', 'plain', { text: 'plain' }],
  ['a body that nothing reads', '/nowhere', 'application/xml', '<a/>', { text: '<a/>' }],
  ['a body of a method that is not allowed', '/people/new', 'text/plain', 'b', { text: 'b' }],
  ['text', '/users/post/raw', 'text/plain', 'b\n', { text: 'b\n' }],
  ['bytes that are not UTF-8', '/httpbin/post', 'image/png', '\x89P\xff', { hex: '8950ff' }],
  ['a byte of zero', '/httpbin/post', 'text/plain', 'a\0', { hex: '6100' }],
]

for (const [what, path, type, body, expected] of bodies) {
  for (const framing of ['whole', 'in chunks', 'pipelined']) {
    test(`${what} is recorded: ${framing}`, async () => {
      const { app, origin, id } = await startRecording(sharedApp())
      const bytes = type === 'image/png' ? Buffer.from(body, 'latin1') : Buffer.from(body)
      const chunk = (one: Buffer) => `${one.length.toString(16)}\r\n${one.toString('latin1')}\r\n`
      const isChunked = framing === 'in chunks'
      const length = isChunked
        ? 'Transfer-Encoding: chunked'
        : `Content-Length: ${String(bytes.length)}`
      const content = isChunked
        ? `${chunk(bytes.subarray(0, 1))}${chunk(bytes.subarray(1))}0\r\n\r\n`
        : bytes.toString('latin1')
      const fields = ['Host: localhost', `Content-Type: ${type}`, length, `X-Request-Id: ${id}`]
      const first = toRequest('GET /health HTTP/1.1', ['Host: localhost'])
      const sent = toRequest(`POST ${path} HTTP/1.1`, [...fields, 'Connection: close'], content)
      await sendRaw(origin, framing === 'pipelined' ? first + sent : sent)
      const { requestBody, connection } = await findExchange(app, id)
      assert.deepEqual(requestBody, { size: bytes.length, isCut: false, ...expected })
      assert.equal(connection.requestsBefore, framing === 'pipelined' ? 1 : 0)
    })
  }
}

test('of a long body the first 64 KiB are recorded', async () => {
  const { app, id } = await startRecording(sharedApp())
  const headers = { 'content-type': 'text/plain', 'x-request-id': id }
  await app.inject({ method: 'POST', url: '/users/post/raw', headers, payload: long })
  const { requestBody, responseBody } = await findExchange(app, id)
  assert.deepEqual(requestBody, { size: 100_000, isCut: true, text: long.slice(0, 32_768) })
  assert.deepEqual([responseBody?.size, responseBody?.isCut], [100_002, true])
  assert.ok(`"${long}`.startsWith(responseBody?.text ?? '-'))
})

for (const coding of ['identity', 'gzip', 'br', 'zstd']) {
  for (const url of ['/docs', '/health']) {
    test(`the body of ${url} with the coding ${coding} is shown without it`, async () => {
      const { app, id } = await startRecording(sharedApp())
      const plain = await app.inject({ url, headers: { accept: 'text/html' } })
      const headers = { accept: 'text/html', 'accept-encoding': coding, 'x-request-id': id }
      const sent = await app.inject({ url, headers })
      const { responseBody, id: own } = await findExchange(app, id)
      assert.equal(responseBody?.size, sent.rawPayload.length)
      assert.equal(responseBody.text?.slice(0, 500), plain.body.slice(0, 500))
      const { body } = await app.inject(`/inspector/${own}`)
      const isCoded = sent.headers['content-encoding'] === coding
      assert.equal(body.includes(`sent with Content-Encoding: ${coding}`), isCoded)
    })
  }
}

for (const [method, url] of [
  ['HEAD', '/people'],
  ['GET', '/mirror/status/304'],
  ['DELETE', '/mirror/status/204'],
] as const) {
  test(`the response to ${method} ${url} has no body`, async () => {
    const { app, id } = await startRecording(sharedApp())
    await app.inject({ method, url, headers: { 'x-request-id': id } })
    assert.equal((await findExchange(app, id)).responseBody, undefined)
  })
}

test('times are in their order, and a connection counts its requests', async () => {
  const { app, origin, id } = await startRecording(sharedApp())
  const fields = ['Host: localhost', 'Content-Type: text/plain', 'Content-Length: 1']
  const requests = [1, 2].map((number) =>
    toRequest(
      'POST /users/post/raw HTTP/1.1',
      [...fields, `X-Request-Id: ${id}`, `N: ${String(number)}`],
      'a',
    ),
  )
  const last = toRequest('GET /health HTTP/1.1', ['Host: localhost', 'Connection: close'])
  await sendRaw(origin, requests.join('') + last)
  const [first, second] = await findExchanges(app, id)
  assert.ok(first && second)
  const { body = 0, handlerBegin = 0, handlerEnd = 0, firstByte = 0, end } = first.times
  const times = [0, body, handlerBegin, handlerEnd, firstByte, end]
  assert.ok(
    body > 0 && times.every((time, index) => index === 0 || time >= (times[index - 1] ?? 0)),
  )
  assert.equal(first.ms, end)
  assert.deepEqual([first.demo, first.route], ['bodies', '/users/post/raw'])
  assert.equal(first.connection.id, second.connection.id)
  assert.deepEqual([first.connection.requestsBefore, second.connection.requestsBefore], [0, 1])
  assert.match(first.connection.remoteAddress, /^127\.0\.0\.1:\d+$/)
})

test('an exchange over HTTP/2 has its version, its cipher and its body', async (t) => {
  const { origin } = await startVitrine(t, await makeCertificate(t))
  const session = connect(origin, { rejectUnauthorized: false })
  t.after(() => {
    session.destroy()
  })
  const id = randomUUID()
  const request = async (headers: Headers, body = '') => {
    const stream = session.request(headers, { endStream: body === '' }).setEncoding('utf8')
    if (body !== '') stream.end(body)
    let text = ''
    for await (const chunk of stream) text += String(chunk)
    return text
  }
  const type = { 'content-type': 'text/plain', 'x-request-id': id }
  await request({ ':method': 'POST', ':path': '/users/post/raw', ...type }, 'body')
  const path = { ':path': `/inspector?request_id=${id}`, accept: 'application/json' }
  const { exchanges } = JSON.parse(await request(path)) as { exchanges: Exchange[] }
  const [exchange] = exchanges
  assert.deepEqual([exchange?.httpVersion, exchange?.requestBody?.text], ['2.0', 'body'])
  assert.match(exchange?.tls ?? '', /^TLSv1\.3 TLS_/)
  const { responseHead = '' } = exchange ?? {}
  assert.match(responseHead, /^HTTP\/2\.0 200 \n[^]*\ncontent-length: 6\ndate: .*GMT\n$/)
})

for (const [count, isExceeded] of [
  [1, false],
  [2, true],
] as const) {
  test(`the exchange of request ${String(count)} has the decision of the rate limit`, async (t) => {
    const { app, id } = await openRecordedApp(t, {
      RATE_LIMIT: '1',
      TRUSTED_PROXIES: '127.0.0.1',
      ALLOWED_HOSTS: '*',
      INSPECTOR: 'all',
    })
    const headers = { 'x-forwarded-for': '192.0.2.1' }
    if (count === 2) await app.inject({ url: '/api/json', headers })
    await app.inject({ url: '/api/json', headers: { ...headers, 'x-request-id': id } })
    const { client, rateLimit } = await findExchange(app, id)
    assert.equal(client, '192.0.2.1')
    assert.equal(rateLimit?.isExceeded, isExceeded)
    assert.match(rateLimit.policy, /^"default";q=1;w=60$/)
    assert.match(rateLimit.state, /^"default";r=0;t=\d+$/)
  })
}

for (const [request, status] of [
  [toRequest('GET /%zz HTTP/1.1', ['Host: localhost']), 400],
  [toRequest(`GET /${'a'.repeat(9000)} HTTP/1.1`, ['Host: localhost']), 414],
  [toRequest('GET / HTTP/1.1', ['Host: evil.example']), 421],
  [toRequest('GET / HTTP/1.1', ['Host: localhost', 'Expect: nothing']), 417],
] as const) {
  test(`an exchange that fails before routing with ${String(status)} is recorded`, async () => {
    const { app, origin, id } = await startRecording(sharedApp())
    const fields = `X-Request-Id: ${id}\r\nConnection: close\r\n\r\n`
    await sendRaw(origin, request.replace(/\r\n$/, fields))
    assert.equal((await findExchange(app, id)).status, status)
  })
}

test('an exchange whose client has gone is recorded as cut off', async () => {
  const { app, origin, id } = await startRecording(sharedApp())
  const socket = openSocket(origin)
  const fields = ['Host: localhost', 'Content-Length: 9', `X-Request-Id: ${id}`]
  const arrived = once(app.server, 'request')
  socket.write(toRequest('POST /users/post HTTP/1.1', fields, 'abc'))
  await arrived
  socket.destroy()
  const { isCutOff, requestBody } = await findExchange(app, id)
  assert.equal(isCutOff, true)
  assert.deepEqual(requestBody, { size: 3, isCut: false, text: 'abc' })
})
