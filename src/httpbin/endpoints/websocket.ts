import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { formatNumber } from '../../config/format-count.ts'
import {
  maxFragments,
  maxSmallFrames,
  smallFrameBytes,
  smallFramesPerSecond,
} from '../../config/limits.ts'
import { badRequest } from '../../http/errors/http-error.ts'
import type { DialectRequest } from '../dialect.ts'
import { forOnly, toEndpoint } from '../endpoint.ts'
import { assertInRange, findInteger, quote } from '../parameters.ts'
import { findHeader } from '../text.ts'
import { clearTimeout, performance, setTimeout } from '../../timers.ts'

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

/** ws keeps each read of an unfinished frame as a buffer, which can take 300 bytes for one byte. */
const maxReads = 1024

/**
 * The part of ws that reads frames. The options and events of ws cannot limit frames by their size, and its limit of
 * reads (`maxBufferedChunks`) closes the connection, where to join them is enough.
 */
interface FrameReader {
  _buffers: Buffer[]
  _payloadLength: number
  /** ws calls it for each frame when its length is known. */
  haveLength: (done: (error: Error) => void) => void
  createError: (
    kind: RangeErrorConstructor,
    ...rest: [message: string, hasPrefix: boolean, status: number, code: string]
  ) => Error
}

declare module 'ws' {
  interface WebSocket {
    readonly _receiver: FrameReader
  }
}

const closeTimeout = 1000

async function openEcho(request: DialectRequest) {
  const limits = parseLimits(request)
  assertHandshake(request)
  const { raw } = request.fastify
  const { WebSocketServer } = await import('ws')
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    autoPong: false,
    allowSynchronousEvents: false,
    maxPayload: limits.message,
    maxFragments,
    maxBufferedChunks: 0,
    // The types of ws lack it.
    ...{ closeTimeout },
    // Without a context, a connection keeps no memory between two messages.
    perMessageDeflate: { serverNoContextTakeover: true, clientNoContextTakeover: true },
  })
  request.reply.hijack()
  server.handleUpgrade(raw, raw.socket, raw.upgradeHead ?? Buffer.alloc(0), (socket) => {
    raw.closeUpgraded = () => {
      socket.close(1001, 'The service stops.')
      // The timeout of ws is a global timer, which a test may have faked.
      setTimeout(() => {
        socket.terminate()
      }, closeTimeout).unref()
    }
    echo(socket, limits.fragment, request)
  })
  return {}
}

function parseLimits(request: DialectRequest) {
  const { maxBodyBytes: max } = request.config
  const parse = (name: string, fallback: number) => {
    const size = findInteger(request, name) ?? fallback
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
    throw badRequest(`only websocket version "13" is supported, got ${quote(version)}`)
  }
  if (key === '') throw badRequest('missing required `Sec-Websocket-Key` header')
  const isKey = /^[+/\d a-z]{22}==$/i.test(key)
  if (isKey && fastify.raw.upgradeHead !== undefined) return
  throw badRequest('The request is not a valid handshake of a WebSocket (RFC 6455 §4.2.1).')
}

const tooManyFrames = `The connection has more than ${formatNumber(maxSmallFrames)} small frames.`

/** Closes the connection after too many small frames, received or sent. */
function limitSmallFrames(socket: WebSocket, connection: Socket) {
  let count = 0
  let countedAt = performance.now()
  const isOver = (frames: number, bytes: number) => {
    const now = performance.now()
    const credit = ((now - countedAt) * smallFramesPerSecond) / 1000
    count = Math.max(count - credit, 0) + Math.max(frames - bytes / smallFrameBytes, 0)
    countedAt = now
    return count > maxSmallFrames
  }
  const { _receiver: reader } = socket
  const { haveLength, _buffers: reads } = reader
  connection.on('data', () => {
    if (reads.length >= maxReads) reads.splice(0, reads.length, Buffer.concat(reads))
  })
  reader.haveLength = (done) => {
    if (!isOver(1, reader._payloadLength)) haveLength.call(reader, done)
    else done(reader.createError(RangeError, tooManyFrames, false, 1008, 'TOO_MANY_SMALL_FRAMES'))
  }
  return (frames: number, bytes: number) => {
    const isClosing = isOver(frames, bytes)
    if (isClosing) socket.close(1008, tooManyFrames)
    return isClosing
  }
}

/** While a client does not read, nothing more is read from it. */
function createReply(socket: WebSocket, connection: Socket, maxUnsentBytes: number) {
  return (send: (done: () => void) => void) => {
    socket.pause()
    // All fragments are sent with one write.
    connection.cork()
    send(() => {
      if (socket.readyState === socket.OPEN) socket.resume()
    })
    connection.uncork()
    // One chunk of compressed messages can be a thousand times as large.
    if (socket.bufferedAmount > maxUnsentBytes) socket.terminate()
  }
}

function limitLifetime(socket: WebSocket, seconds: number): void {
  const timer = setTimeout(() => {
    socket.close(1001, 'The connection has reached its maximum duration.')
  }, seconds * 1000)
  socket.on('close', () => {
    clearTimeout(timer)
  })
}

function echo(socket: WebSocket, fragment: number, { config, fastify }: DialectRequest): void {
  const { socket: connection } = fastify.raw
  limitLifetime(socket, config.maxDurationSeconds)
  const isOver = limitSmallFrames(socket, connection)
  const reply = createReply(socket, connection, 4 * config.maxBodyBytes)
  socket.on('error', () => undefined)
  socket.on('message', (message: Buffer, binary) => {
    const frames = Math.max(Math.ceil(message.length / fragment), 1)
    if (frames > maxFragments)
      socket.close(1009, `The echo has more than ${formatNumber(maxFragments)} fragments.`)
    else if (!isOver(frames - 1, message.length)) {
      reply((done) => {
        let start = 0
        for (; start + fragment < message.length; start += fragment)
          socket.send(message.subarray(start, start + fragment), { binary, fin: false })
        socket.send(message.subarray(start), { binary }, done)
      })
    }
  })
  socket.on('ping', (payload) => {
    reply((done) => {
      socket.pong(payload, false, done)
    })
  })
}
