import type { WebSocket } from 'ws'
import { badRequest } from '../../http/errors/http-error.ts'
import type { DialectRequest } from '../dialect.ts'
import { forOnly, toEndpoint } from '../endpoint.ts'
import { assertInRange, parseQueryInteger } from '../parameters.ts'
import { findHeader } from '../text.ts'
import { clearTimeout, setTimeout } from '../../timers.ts'

export const webSocketPath = '/websocket/echo'

export const webSocketEndpoints = [
  toEndpoint(
    webSocketPath,
    'Echo the messages of a WebSocket',
    {
      methods: forOnly('GET'),
      statuses: [101, 400],
      query: {
        max_fragment_size: ['The size of each frame of an echo in bytes.', '100'],
        max_message_size: ['The size of a message in bytes.', '1000'],
      },
    },
    openEcho,
  ),
]

/** Of a message, and of its echo. */
const maxFragments = 1024

/** Of an unfinished frame. ws keeps each read as a buffer of its own, which can take 300 bytes for one. */
const maxReads = 1024

/** ws itself can only close the connection when a frame arrives in many reads. */
function joinReads(socket: WebSocket): void {
  const { _buffers: reads } = (socket as unknown as { _receiver: { _buffers: Buffer[] } })._receiver
  if (reads.length >= maxReads) reads.splice(0, reads.length, Buffer.concat(reads))
}

type Limits = ReturnType<typeof parseLimits>

async function openEcho(request: DialectRequest) {
  const limits = parseLimits(request)
  assertHandshake(request)
  const { raw } = request.fastify
  const { WebSocketServer } = await import('ws')
  const server = new WebSocketServer({
    ...{ noServer: true, clientTracking: false, autoPong: false },
    ...{ maxPayload: limits.message, maxFragments, maxBufferedChunks: 0, closeTimeout: 1000 },
    // Without a context, a connection keeps no memory between two messages.
    perMessageDeflate: { serverNoContextTakeover: true, clientNoContextTakeover: true },
  })
  request.reply.hijack()
  server.handleUpgrade(raw, raw.socket, raw.upgradeHead ?? Buffer.alloc(0), (socket) => {
    echo(socket, limits, request)
    raw.socket.on('data', () => {
      joinReads(socket)
    })
  })
  return {}
}

function parseLimits(request: DialectRequest) {
  const { maxBodyBytes: max } = request.config
  const parse = (name: string, fallback: number) => {
    const size = parseQueryInteger(request, name) ?? fallback
    assertInRange(size, name, [1, max])
    return size
  }
  const fragment = parse('max_fragment_size', Math.max(Math.floor(max / 2), 1))
  const message = parse('max_message_size', max)
  if (fragment <= message) return { fragment, message }
  const parts = [`max_fragment_size ${String(fragment)}`, `max_message_size ${String(message)}`]
  throw badRequest(parts.join(' must be less than or equal to '))
}

function assertHandshake({ headers, fastify }: DialectRequest): void {
  const version = findHeader(headers, 'sec-websocket-version') ?? ''
  const key = findHeader(headers, 'sec-websocket-key') ?? ''
  const isUpgrade = findHeader(headers, 'upgrade')?.toLowerCase() === 'websocket'
  if (!isUpgrade) throw badRequest('missing required `Upgrade: websocket` header')
  if (version !== '13') {
    throw badRequest(`only websocket version "13" is supported, got ${JSON.stringify(version)}`)
  }
  if (key === '') throw badRequest('missing required `Sec-Websocket-Key` header')
  const isKey = /^[+/\d a-z]{22}==$/i.test(key)
  if (isKey && fastify.raw.upgradeHead !== undefined) return
  throw badRequest('The request is not a valid handshake of a WebSocket (RFC 6455 §4.2.1).')
}

function limitLifetime(socket: WebSocket, seconds: number): void {
  const timer = setTimeout(() => {
    socket.close(1001, 'The connection has reached its maximum duration.')
  }, seconds * 1000)
  socket.on('close', () => {
    clearTimeout(timer)
  })
}

function echo(socket: WebSocket, { fragment }: Limits, { config }: DialectRequest): void {
  limitLifetime(socket, config.maxDurationSeconds)
  socket.on('error', () => undefined)
  // While a client does not read, nothing more is read from it.
  const reply = (send: (done: () => void) => void) => {
    socket.pause()
    send(() => {
      if (socket.readyState === socket.OPEN) socket.resume()
    })
    // One chunk of compressed messages can be a thousand times as large.
    if (socket.bufferedAmount > 4 * config.maxBodyBytes) socket.terminate()
  }
  socket.on('message', (message: Buffer, binary) => {
    if (message.length > maxFragments * fragment) {
      socket.close(1009, 'The echo has too many fragments.')
      return
    }
    reply((done) => {
      let start = 0
      for (; start + fragment < message.length; start += fragment) {
        socket.send(message.subarray(start, start + fragment), { binary, fin: false })
      }
      socket.send(message.subarray(start), { binary, fin: true }, done)
    })
  })
  socket.on('ping', (payload) => {
    reply((done) => {
      socket.pong(payload, false, done)
    })
  })
}
