import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect as connectHttp2 } from 'node:http2'
import { type AddressInfo, connect as connectSocket } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { test } from 'node:test'
import { makeCertificate } from '../../../test/support/tls-client.ts'
import { testApp, useApp, type OpeningTest, type TestApp } from '../../../test/support/test-app.ts'
import type { Demo } from '../../site/demo.ts'
import { readBytes } from '../body/read-bytes.ts'
import { sendJson } from '../response/send.ts'
import { toRawRequest, type RawRequest } from './raw-request.ts'
import { words } from '../../../test/support/words.ts'

/** Responds to every request under `/raw` with the request as it was sent, and to `/parsed` likewise. */
const echo: Demo = {
  name: 'echo',
  title: 'Echo',
  summary: 'For tests.',
  routes: ({ config }, app) => {
    app.post('/parsed', ({ method, query, body }, reply) =>
      sendJson(reply, { method, query, body }),
    )
    return [
      {
        method: app.supportedMethods,
        url: '/raw/*',
        summary: 'Show a request',
        config: { isRaw: true },
        handler: async (request, reply) => {
          const body = (await readBytes(request.raw, config)).toString('base64')
          return sendJson(reply, { ...toRawRequest(request), body })
        },
      },
    ]
  },
}

type Echo = RawRequest & { body: string }

async function openEcho(t: OpeningTest, settings: Record<string, string> = {}): Promise<TestApp> {
  return testApp(t, { demos: [echo], settings })
}

const echoApp = useApp({ demos: [echo] })

/** Sends the bytes of a whole request, and returns the response head and body. */
async function send(
  app: TestApp,
  message: string | Buffer,
): Promise<{ head: string; body: string }> {
  if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 })
  const socket = connectSocket((app.server.address() as AddressInfo).port, '127.0.0.1')
  socket.write(message)
  const response = (await buffer(socket)).toString('latin1')
  const end = response.indexOf('\r\n\r\n')
  return { head: response.slice(0, end), body: response.slice(end + 4) }
}

function toMessage(line: string, ...fields: readonly string[]): string {
  return [`${line} HTTP/1.1`, 'Host: localhost', ...fields, 'Connection: close', '', ''].join(
    '\r\n',
  )
}

async function sendRaw(app: TestApp, line: string, ...fields: readonly string[]): Promise<Echo> {
  const { head, body } = await send(app, toMessage(line, ...fields))
  assert.match(head, /^HTTP\/1\.1 200 /, body)
  return JSON.parse(body) as Echo
}

const targets = words`
  /raw/ /raw/a/ /raw//a//b// /raw/../a/./b /raw/a%2Fb%2f%2e%2E /raw/%ff%zz% /raw/a?
  /raw/a?_method=DELETE /raw/a?a=%ff&=1&a[b][c][d][e][f][g][h]=1 /raw/a;b=c?x//
  http://localhost/raw/a//?b
`

for (const target of targets) {
  test(`a raw handler gets the target ${target} as sent`, async () => {
    const sent = await sendRaw(echoApp(), `GET ${target}`)
    assert.equal(sent.target, target)
    assert.equal(sent.method, 'GET')
  })
}

for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE']) {
  test(`a raw handler gets the method ${method} as sent, without an override`, async () => {
    const app = echoApp()
    const fields = ['Content-Length: 0', 'X-HTTP-Method-Override: GET', 'Content-Type: bad']
    assert.equal((await sendRaw(app, `${method} /raw/a?_method=GET`, ...fields)).method, method)
  })
}

test('the response to a raw HEAD is only the head', async () => {
  const { head, body } = await send(echoApp(), toMessage('HEAD /raw/a'))
  assert.match(head, /^HTTP\/1\.1 200 /)
  assert.equal(body, '')
})

test('a raw handler gets headers in their order and case, including repeated ones', async () => {
  const fields = ['x-B: 1', 'X-a:  2 ', 'x-B: 3', 'COOKIE: a=1', 'Cookie: b=2']
  const { headers } = await sendRaw(echoApp(), 'GET /raw/a', ...fields)
  assert.deepEqual(headers, [
    ['Host', 'localhost'],
    ['x-B', '1'],
    ['X-a', '2'],
    ['x-B', '3'],
    ['COOKIE', 'a=1'],
    ['Cookie', 'b=2'],
    ['Connection', 'close'],
  ])
})

const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index))
for (const type of [
  'application/json',
  'application/x-www-form-urlencoded',
  'text/plain; charset=latin1',
  'multipart/form-data',
]) {
  test(`a raw handler gets the bytes of ${type}`, async () => {
    const fields = [`Content-Type: ${type}`, 'Content-Encoding: gzip', 'Content-Digest: bad']
    const head = toMessage('PUT /raw/a', ...fields, 'Content-Length: 256')
    const { body } = await send(echoApp(), Buffer.concat([Buffer.from(head), bytes]))
    assert.deepEqual(Buffer.from((JSON.parse(body) as Echo).body, 'base64'), bytes)
  })
}

test('a raw handler gets the bytes of a GET and of chunks', async () => {
  const app = echoApp()
  const head = toMessage('GET /raw/a', 'Transfer-Encoding: chunked')
  const { body } = await send(app, `${head}3\r\n_me\r\n6\r\nthod=X\r\n0\r\n\r\n`)
  assert.equal(Buffer.from((JSON.parse(body) as Echo).body, 'base64').toString(), '_method=X')
})

for (const [framing, body] of [
  ['Content-Length: 11', '12345678901'],
  ['Transfer-Encoding: chunked', '6\r\n123456\r\n5\r\n78901\r\n0\r\n\r\n'],
] as const) {
  test(`a raw body over MAX_BODY_BYTES gets 413 with ${framing}`, async (t) => {
    const app = await openEcho(t, { MAX_BODY_BYTES: '10' })
    const { head } = await send(app, toMessage('POST /raw/a', framing) + body)
    assert.match(head, /^HTTP\/1\.1 413 /)
  })
}

test('a raw request with Expect: 100-continue gets 100', async () => {
  const head = toMessage('POST /raw/a', 'Expect: 100-continue', 'Content-Length: 1')
  assert.match((await send(echoApp(), `${head}a`)).head, /^HTTP\/1\.1 100 Continue$/)
})

test('a raw handler gets cross-site requests, preflights and false conditions too', async (t) => {
  const app = echoApp()
  const foreign = ['Origin: http://other.example', 'Sec-Fetch-Site: cross-site']
  const conditions = ['If-None-Match: *', 'Want-Repr-Digest: sha-256=1']
  for (const line of ['POST /raw/a', 'OPTIONS /raw/a', 'GET /raw/a']) {
    await t.test(line, async () => {
      const preflight = 'Access-Control-Request-Method: PUT'
      const message = toMessage(line, ...foreign, ...conditions, preflight, 'Content-Length: 0')
      const { head } = await send(app, message)
      assert.match(head, /^HTTP\/1\.1 200 /)
      assert.doesNotMatch(
        head,
        /^(access-control-(?!allow-origin: \*)|etag:|repr-digest:|cache-control:|vary:)/im,
      )
      assert.match(head, /^x-content-type-options: nosniff/im)
    })
  }
})

test('raw handling does not change the rules for other paths', async () => {
  const app = echoApp()
  const payload = 'a=1&_if_match=x&_method=POST'
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const url = '/parsed//?b=2&_method=GET'
  const allowed = await app.inject({ method: 'POST', url: '/parsed//?b=2', payload, headers: form })
  assert.deepEqual(allowed.json(), { method: 'POST', query: { b: '2' }, body: { a: '1' } })
  assert.equal((await app.inject({ method: 'POST', url, headers: form })).statusCode, 405)
  const headers = { ...form, origin: 'http://other.example' }
  const foreign = await app.inject({ method: 'POST', url: '/parsed', payload, headers })
  assert.equal(foreign.statusCode, 403)
  assert.equal((await app.inject({ method: 'POST', url: '/rawness', headers })).statusCode, 403)
})

test('the head of a raw request is checked like any other', async () => {
  const app = echoApp()
  const foreignHost = 'GET /raw/a HTTP/1.1\r\nHost: attacker.example\r\nConnection: close\r\n\r\n'
  assert.match((await send(app, foreignHost)).head, /^HTTP\/1\.1 421 /)
  const long = toMessage(`GET /raw/${'a'.repeat(9000)}`)
  assert.match((await send(app, long)).head, /^HTTP\/1\.1 414 /)
})

test('a raw handler gets an HTTP/2 request as sent, with any method', async (t) => {
  const certificate = await makeCertificate(t)
  const app = await openEcho(t, certificate)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const session = connectHttp2(`https://localhost:${String(port)}`, {
    ca: await readFile(certificate.TLS_CERT),
  })
  t.after(() => {
    session.destroy()
  })
  const path = '/raw//a/../%2F%ff?_method=GET'
  const stream = session.request({ ':method': 'SHOUT', ':path': path, 'x-a': ['1', '2'] })
  stream.end(bytes)
  const [responseHeaders] = (await once(stream, 'response')) as [{ ':status': number }]
  const { method, target, headers, body } = JSON.parse(await text(stream)) as Echo
  assert.equal(responseHeaders[':status'], 200)
  assert.deepEqual([method, target], ['SHOUT', path])
  assert.deepEqual(headers, [
    ['host', `localhost:${String(port)}`],
    ['x-a', '1'],
    ['x-a', '2'],
  ])
  assert.deepEqual(Buffer.from(body, 'base64'), bytes)
})
