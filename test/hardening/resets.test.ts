import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { buildApp } from '../../src/embed.ts'
import { findFreePort } from '../support/free-port.ts'
import { limit } from '../support/stopping.ts'
import { until } from '../support/until.ts'
import { endHeaders, endStream, getRoot, preface, toFrame, types } from './http2-frames.ts'
import { startSecure } from '../support/tls-client.ts'
import {
  listen,
  openSocket,
  startWatched,
  toGet,
  toRequest,
  useStarted,
  useWatched,
} from '../support/watched-vitrine.ts'

type Message = readonly [what: string, message: string | Buffer, hasResponse?: boolean]

const host = 'Host: localhost'
const upgrade = ['Connection: upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']
const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='
const target = toRequest('CONNECT example.org:443 HTTP/1.1', ['Host: example.org:443'])
const get = toRequest('GET /health HTTP/1.1', [host])
const list = toRequest('GET /openapi.json HTTP/1.1', [host])
const webSocket = 'GET /go-httpbin/websocket/echo HTTP/1.1'
const post = ['POST /people HTTP/1.1', [host, 'Content-Length: 9']] as const

const messages: readonly Message[] = [
  ['CONNECT', target],
  ['CONNECT with what looks like its body', `${target}GET`],
  ['CONNECT behind another request', get + target],
  ['CONNECT within a response', list + target],
  ['CONNECT with Upgrade', toRequest('CONNECT x:1 HTTP/1.1', [host, ...upgrade, key])],
  ['CONNECT with content', toRequest('CONNECT x:1 HTTP/1.1', [host, 'Content-Length: 9'], 'a')],
  ['CONNECT in HTTP/1.0', 'CONNECT x:1 HTTP/1.0\r\n\r\n'],
  ['a WebSocket', toRequest(webSocket, [host, ...upgrade, key])],
  [
    'a WebSocket with a message',
    toRequest(webSocket, [host, ...upgrade, key], '\x81\x81\0\0\0\0a'),
  ],
  ['a WebSocket without a key', toRequest(webSocket, [host, ...upgrade])],
  ['a WebSocket behind another request', get + toRequest(webSocket, [host, ...upgrade, key])],
  ['an upgrade elsewhere', toRequest('GET /health HTTP/1.1', [host, ...upgrade, key])],
  ['GET', get],
  ['a long response', list],
  ['what is not HTTP', 'garbage\r\n\r\n'],
  ['half a head', 'GET / HTTP/1.1\r\nHost: lo', false],
  ['half a body', toRequest(...post, '{'), false],
  ['100-continue', toRequest(post[0], [...post[1], 'Expect: 100-continue'])],
  ['another expectation', toRequest('GET / HTTP/1.1', [host, 'Expect: more'])],
  ['an event stream', toRequest('GET /go-httpbin/sse?duration=3 HTTP/1.1', [host])],
  ['nothing', '', false],
]

/** A connection, and the socket under it that a client resets (RST instead of FIN). */
type Opened = readonly [connection: Socket, raw: Socket]

/** The client resets with the request, behind it, at the first byte of the response, and at its end. */
async function resetOften(open: () => Promise<Opened>, [, message, hasResponse = true]: Message) {
  const moments = ['request', 'written', ...(hasResponse ? ['data', 'end'] : [])]
  const clients = moments.flatMap((moment) => Array.from({ length: 4 }, () => moment))
  await Promise.all(
    clients.map(async (moment) => {
      const [connection, raw] = await open()
      const isWritten = new Promise((resolve) => connection.write(message, resolve))
      if (moment === 'written') await isWritten
      if (moment === 'end') connection.end()
      if (moment === 'data' || moment === 'end')
        await new Promise((resolve) => {
          for (const event of [moment, 'end', 'close']) connection.once(event, resolve)
          connection.resume()
        })
      raw.resetAndDestroy()
    }),
  )
}

async function openPlain(origin: string): Promise<Opened> {
  const socket = openSocket(origin)
  await once(socket, 'connect')
  return [socket, socket]
}

async function openTls(origin: string, protocol: string): Promise<Opened> {
  const [, raw] = await openPlain(origin)
  const options = { rejectUnauthorized: false, ALPNProtocols: [protocol], allowHalfOpen: true }
  const connection = connectTls({ socket: raw, ...options }).on('error', () => undefined)
  await once(connection, 'secureConnect')
  return [connection, raw]
}

/** A connection that has sent its preface and these frames. */
const toFrames = (...frames: readonly Buffer[]) =>
  Buffer.concat([preface, toFrame(types.settings, 0, 0), ...frames])
const toHead = (block: Buffer | string) =>
  toFrame(types.headers, endHeaders, 1, Buffer.from(block as string, 'latin1'))
// HPACK (RFC 7541): literals with the names of the static table, and `:protocol` of RFC 8441.
const connectBlock = '\x42\x07CONNECT\x41\x01x'

const sessions: readonly Message[] = [
  ['CONNECT', toFrames(toHead(connectBlock))],
  ['CONNECT with data', toFrames(toHead(connectBlock), toFrame(types.data, 0, 1, getRoot))],
  ['extended CONNECT', toFrames(toHead(`${connectBlock}\x87\x84\x40\x09:protocol\x09websocket`))],
  ['GET', toFrames(toFrame(types.headers, endStream | endHeaders, 1, getRoot))],
  ['an unfinished head', toFrames(toFrame(types.headers, 0, 1, getRoot))],
  ['a reset stream', toFrames(toHead(getRoot), toFrame(types.reset, 0, 1, Buffer.alloc(4)))],
  ['an invalid frame', toFrames(toFrame(types.data, 0, 0, getRoot))],
  ['no preface', 'garbage\r\n\r\n'],
]

/** Starts the service with another port, which this setting names. */
const useBoth = (name: string, start: typeof startWatched) =>
  useStarted(async (t) => {
    const port = String(await findFreePort())
    return { ...(await start(t, { [name]: port })), other: `http://127.0.0.1:${port}` }
  })

const plain = useBoth('ADMIN_PORT', startWatched)
const open = useWatched({ PRESET: 'public', HOST: '127.0.0.1' })
const secure = useBoth('REDIRECT_HTTP_PORT', async (t, settings) => {
  const watched = await startSecure(t, settings)
  const assertSound = async () => {
    await watched.assertSound()
    const [connection] = await openTls(watched.origin, 'http/1.1')
    connection.write(toGet('/health'))
    assert.equal((await listen(connection)).statuses[0], 200)
  }
  return { ...watched, assertSound }
})
/** An error without a listener would end the process of the tests. */
const embedded = useStarted(async (t) => {
  const vitrine = await buildApp()
  t.after(() => vitrine.stop())
  const origin = await vitrine.start()
  const assertSound = async () => {
    assert.equal((await fetch(`${origin}/health`)).status, 200)
  }
  return { origin, assertSound }
})

interface Started {
  assertSound: () => Promise<void>
}

/** Each way of the service to receive a connection. */
const ports: readonly (readonly [
  name: string,
  rows: readonly Message[],
  find: () => Started,
  connect: () => Promise<Opened>,
])[] = [
  ['PORT', messages, plain, () => openPlain(plain().origin)],
  ['PORT of the public preset', messages, open, () => openPlain(open().origin)],
  ['PORT with TLS', messages, secure, () => openTls(secure().origin, 'http/1.1')],
  ['PORT with HTTP/2', sessions, secure, () => openTls(secure().origin, 'h2')],
  ['PORT with TLS, without its handshake', messages, secure, () => openPlain(secure().origin)],
  ['REDIRECT_HTTP_PORT', messages, secure, () => openPlain(secure().other)],
  ['ADMIN_PORT', messages, plain, () => openPlain(plain().other)],
  ['a service in this process', messages, embedded, () => openPlain(embedded().origin)],
]
for (const [name, rows, find, connect] of ports) {
  test(`clients that reset connections to ${name} do no harm`, limit, async (t) => {
    for (const row of rows) {
      await t.test(row[0], async () => {
        await resetOften(connect, row)
        await find().assertSound()
      })
    }
  })
}

test('a client that stays connected after CONNECT or an invalid handshake is disconnected', async (t) => {
  const { origin, assertSound } = plain()
  for (const message of [target, toRequest(webSocket, [host, ...upgrade])]) {
    const socket = openSocket(origin)
    t.after(() => socket.destroy())
    socket.resume().write(message)
    await once(socket, 'end')
    // The half of the connection from the client stays open until the other end destroys it.
    await until(() => socket.destroyed || !socket.write('x', () => undefined))
  }
  await assertSound()
})
