import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { deflateRawSync } from 'node:zlib'
import { WebSocket } from 'ws'
import { makeCertificate, openSecure } from '../support/tls-client.ts'
import { listen, openSocket, sendRaw } from '../support/watched-vitrine.ts'
import { catalogueApp } from '../support/test-app.ts'
import { until } from '../support/until.ts'

async function openApp(t: TestContext, settings: Record<string, string> = {}): Promise<string> {
  const app = await catalogueApp(t, { settings: { ALLOWED_HOSTS: '*', ...settings } })
  return app.listen({ host: '127.0.0.1', port: 0 })
}

async function openEcho(t: TestContext, url: string, protocols: string[] = [], options = {}) {
  const socket = new WebSocket(url.replace('http:', 'ws:'), protocols, options)
  t.after(() => {
    socket.terminate()
  })
  await once(socket, 'open')
  return socket
}

const handshake = (path: string, ...more: readonly string[]) =>
  [
    `GET ${path} HTTP/1.1`,
    'Host: x',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
    ...more,
    '',
    '',
  ].join('\r\n')

for (const prefix of ['/httpbin', '/go-httpbin']) {
  test(`${prefix}: text, bytes, long messages and pings come back`, async (t) => {
    const socket = await openEcho(t, `${await openApp(t)}${prefix}/websocket/echo`)
    for (const message of ['', 'text é', Buffer.from([0, 255]), Buffer.alloc(700_000, 'x')]) {
      socket.send(message)
      const [data, binary] = (await once(socket, 'message')) as [Buffer, boolean]
      assert.deepEqual(data, Buffer.from(message))
      assert.equal(binary, Buffer.isBuffer(message))
    }
    socket.ping('p')
    assert.equal(String((await once(socket, 'pong'))[0]), 'p')
  })
}

test('an echo has at most 1,024 fragments', async (t) => {
  const url = `${await openApp(t)}/go-httpbin/websocket/echo?max_fragment_size=2`
  const socket = await openEcho(t, url)
  socket.send('x'.repeat(2048))
  assert.equal(String((await once(socket, 'message'))[0]), 'x'.repeat(2048))
  socket.send('x'.repeat(2049))
  const [status, reason] = (await once(socket, 'close')) as [number, Buffer]
  assert.deepEqual([status, String(reason)], [1009, 'The echo has more than 1,024 fragments.'])
})

test('permessage-deflate and the first subprotocol are used if the client asks for them', async (t) => {
  const url = `${await openApp(t)}/go-httpbin/websocket/echo?max_fragment_size=10`
  const socket = await openEcho(t, url, ['one', 'two'])
  assert.equal(socket.protocol, 'one')
  assert.match(socket.extensions, /permessage-deflate/)
  socket.send('x'.repeat(10_000))
  assert.equal(String((await once(socket, 'message'))[0]), 'x'.repeat(10_000))
  const plain = await openEcho(t, url, [], { perMessageDeflate: false })
  assert.deepEqual([plain.protocol, plain.extensions], ['', ''])
})

test('a connection ends after MAX_DURATION_SECONDS', async (t) => {
  const url = `${await openApp(t, { MAX_DURATION_SECONDS: '0.05' })}/httpbin/websocket/echo`
  assert.equal((await once(await openEcho(t, url), 'close'))[0], 1001)
})

test('the service stops although a WebSocket is open', async (t) => {
  const app = await catalogueApp(t)
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const socket = await openEcho(t, `${origin}/httpbin/websocket/echo`)
  const closed = once(socket, 'close')
  await app.close()
  await closed
})

/** Masked with zeros. */
function toFrame(start: number, payload: Buffer): string {
  const length = payload.length.toString(16).padStart(4, '0')
  return `${start.toString(16)}fe${length}00000000${payload.toString('hex')}`
}

const hostileFrames = {
  'a frame without a mask': ['8101' + '61', 1002],
  'a reserved bit': ['f18100000000' + '61', 1002],
  'an unknown opcode': ['838000000000', 1002],
  'invalid UTF-8': ['818100000000' + 'ff', 1007],
  'a message of 2^62 bytes': ['82ff4000000000000000' + '00000000', 1009],
  'a message over the limit': ['82fe' + 'ffff' + '00000000', 1009],
  'a long ping': ['89fe' + '0080' + '00000000', 1002],
  'a continuation of nothing': ['808000000000', 1002],
  'an invalid status code of a close': ['888200000000' + '03ed', 1002],
  'a compressed bomb': [toFrame(0xc2, deflateRawSync(Buffer.alloc(200_000))), 1009],
} as const

test('hostile frames close their connection only', async (t) => {
  const origin = await openApp(t, { MAX_BODY_BYTES: '1000' })
  for (const [name, [frames, status]] of Object.entries(hostileFrames)) {
    await t.test(name, async () => {
      const socket = openSocket(origin)
      const extensions = 'Sec-WebSocket-Extensions: permessage-deflate'
      socket.write(handshake('/httpbin/websocket/echo', extensions))
      await once(socket, 'readable')
      assert.match(String(socket.read()), /^HTTP\/1.1 101 /)
      socket.write(Buffer.from(frames, 'hex'))
      const { text } = await listen(socket)
      const bytes = Buffer.from(text, 'latin1')
      assert.equal(bytes[0], 0x88)
      assert.equal(bytes.readUInt16BE(2), status)
    })
  }
  await t.test('many empty fragments', async () => {
    const socket = openSocket(origin)
    const fragment = Buffer.from('008000000000', 'hex')
    socket.write(handshake('/httpbin/websocket/echo'))
    const first = Buffer.from('018000000000', 'hex')
    socket.write(Buffer.concat([first, ...Array<Buffer>(2000).fill(fragment)]))
    const { text } = await listen(socket)
    const bytes = Buffer.from(text.slice(text.indexOf('\r\n\r\n') + 4), 'latin1')
    assert.equal(bytes.readUInt16BE(2), 1008)
  })
})

const otherRequests = {
  'another path': [handshake('/httpbin/get'), 200],
  'a path of another demo': [handshake('/health'), 200],
  'another method': [handshake('/httpbin/websocket/echo').replace('GET', 'POST'), 405],
  'a body': [handshake('/httpbin/websocket/echo', 'Content-Length: 1') + 'x', 400],
  'another protocol': [handshake('/httpbin/websocket/echo').replace(': websocket', ': h2c'), 400],
  'another version': [handshake('/go-httpbin/websocket/echo').replace('13', '12'), 400],
  'no key': [handshake('/go-httpbin/websocket/echo').replace('-Key', '-Kex'), 400],
  'an invalid key': [handshake('/httpbin/websocket/echo').replace('A==', '='), 400],
  'an invalid subprotocol': [
    handshake('/httpbin/websocket/echo', 'Sec-WebSocket-Protocol: ,'),
    400,
  ],
} as const

test('other requests with Upgrade get their usual response, and the connection ends', async (t) => {
  const origin = await openApp(t)
  for (const [name, [request, status]] of Object.entries(otherRequests)) {
    await t.test(name, async () => {
      const { statuses, isClosed } = await sendRaw(origin, request)
      assert.deepEqual([statuses, isClosed], [[status], true])
    })
  }
})

test('a handshake for another host is blocked', async (t) => {
  const origin = await openApp(t, { ALLOWED_HOSTS: 'x' })
  const request = handshake('/httpbin/websocket/echo').replace('Host: x', 'Host: y')
  assert.deepEqual((await sendRaw(origin, request)).statuses, [421])
})

test('a client that sends pings and messages, and never reads, is not read from', async (t) => {
  const origin = await openApp(t)
  const { port } = new URL(origin)
  const socket = connect(Number(port), '127.0.0.1')
  t.after(() => {
    socket.destroy()
  })
  socket.on('error', () => undefined)
  socket.write(handshake('/httpbin/websocket/echo'))
  socket.pause()
  const message = Buffer.concat([
    Buffer.from('82fe' + 'ffff' + '00000000', 'hex'),
    Buffer.alloc(65_535),
  ])
  let sent = 0
  // The kernel buffers some mebibytes on both sides. Turns of this event loop are turns of the service.
  for (let turns = 0; turns < 500 && sent < 256 * 1024 * 1024; turns += 1) {
    if (socket.writableNeedDrain) await setTimeout(1)
    else {
      socket.write(message)
      sent += message.length
      turns = 0
    }
  }
  assert.ok(sent < 64 * 1024 * 1024, String(sent))
})

for (const size of [1, 13]) {
  test(`a message in 5,000 TLS records of ${String(size)} bytes is echoed`, async (t) => {
    const app = await catalogueApp(t, { settings: await makeCertificate(t) })
    const origin = await app.listen({ host: '127.0.0.1', port: 0 })
    const socket = await openSecure(t, origin, 'http/1.1')
    socket.write(handshake('/go-httpbin/websocket/echo').replace('Host: x', 'Host: localhost'))
    await once(socket, 'data')
    const echo = listen(socket)
    const close = '888000000000'
    const frame = Buffer.from(toFrame(0x82, Buffer.alloc(5000 * size, 'x')) + close, 'hex')
    for (let start = 0; start < frame.length; start += size) {
      // Each write that has ended is a record of its own, which is read alone.
      await new Promise((resolve) => socket.write(frame.subarray(start, start + size), resolve))
    }
    const { text } = await echo
    assert.deepEqual([text.slice(0, 2), text.length], ['\x82~', 4 + 5000 * size + 2])
  })
}

const toSmallFrame = (start: number, payload = '') =>
  Buffer.concat([Buffer.from([start, 0x80 | payload.length, 0, 0, 0, 0]), Buffer.from(payload)])

const repeat = (frame: Buffer, count: number) =>
  Buffer.concat(Array.from({ length: count }, () => frame))
const toFragments = (payload: string) =>
  Buffer.concat([
    toSmallFrame(0x01, payload),
    repeat(toSmallFrame(0x00, payload), 1000),
    toSmallFrame(0x80),
  ])

const floods: readonly [what: string, bytes: Buffer, query?: string][] = [
  ['messages of one byte', repeat(toSmallFrame(0x81, 'a'), 9000)],
  ['empty messages', repeat(toSmallFrame(0x82), 9000)],
  ['pings', repeat(toSmallFrame(0x89, 'a'), 9000)],
  ['pongs', repeat(toSmallFrame(0x8a), 9000)],
  ['fragments of one byte', repeat(toFragments('a'), 9)],
  ['empty fragments', repeat(toFragments(''), 9)],
  [
    'pings between fragments',
    Buffer.concat([toSmallFrame(0x01, 'a'), repeat(toSmallFrame(0x89), 9000)]),
  ],
  [
    'messages that are echoed in fragments of one byte',
    repeat(Buffer.from(toFrame(0x81, Buffer.alloc(1000, 'a')), 'hex'), 9),
    '?max_fragment_size=1',
  ],
]

for (const protocol of ['HTTP', 'TLS'])
  for (const [what, bytes, query = ''] of floods) {
    test(`over ${protocol}, a connection with too many ${what} is closed with 1008`, async (t) => {
      const origin = await openApp(t, protocol === 'TLS' ? await makeCertificate(t) : {})
      const socket =
        protocol === 'TLS' ? await openSecure(t, origin, 'http/1.1') : openSocket(origin)
      socket.write(handshake(`/go-httpbin/websocket/echo${query}`))
      await once(socket, 'data')
      socket.write(bytes)
      const { text, isClosed } = await listen(socket)
      assert.ok(isClosed)
      // The status of a Close frame is followed by its reason.
      assert.ok(text.slice(-100).includes('\x03\xf0'), text.slice(-100))
    })
  }

test('1,400 messages of one byte, and many larger ones, come back', async (t) => {
  const socket = await openEcho(t, `${await openApp(t)}/go-httpbin/websocket/echo`)
  const messages = [...Array<string>(1400).fill('a'), ...Array<string>(3000).fill('b'.repeat(256))]
  let count = 0
  socket.on('message', () => (count += 1))
  for (const message of messages) socket.send(message)
  await until(() => count === messages.length)
  assert.equal(socket.readyState, WebSocket.OPEN)
})
