import type { FastifyReply } from 'fastify'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { formatNumber } from '../config/format-count.ts'
import {
  maxFragments,
  maxSmallFrames,
  smallFrameBytes,
  smallFramesPerSecond,
} from '../config/limits.ts'
import { clearTimeout, performance, setTimeout } from '../timers.ts'

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
  once: (event: 'conclude', listener: () => void) => void
}

declare module 'ws' {
  interface WebSocket {
    readonly _receiver: FrameReader
  }
}

const closeTimeout = 1000

/** RFC 6455 §4.2.1. */
export function hasWebSocketKey({ headers }: IncomingMessage): boolean {
  return /^[+/\d a-z]{22}==$/i.test(headers['sec-websocket-key'] ?? '')
}

interface WebSocketLimits {
  maxMessageBytes: number
  maxUnsentBytes: number
  maxSeconds: number
}

/** A WebSocket whose frames, life and unsent bytes are limited. */
export interface LimitedWebSocket {
  socket: WebSocket
  /** Counts frames that are sent. Closes the connection after too many small ones, and then returns true. */
  isOver: (frames: number, bytes: number) => boolean
  /** Until `send` calls `done`, nothing more is read from the client. */
  reply: (send: (done: () => void) => void) => void
}

/** Takes the connection of `reply` over, whose request must be a handshake. */
export async function openWebSocket(
  reply: FastifyReply,
  limits: WebSocketLimits,
  use: (opened: LimitedWebSocket) => void,
): Promise<void> {
  const { raw } = reply.request
  const { WebSocketServer } = await import('ws')
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    autoPong: false,
    allowSynchronousEvents: false,
    maxPayload: limits.maxMessageBytes,
    maxFragments,
    maxBufferedChunks: 0,
    // The types of ws lack it.
    ...{ closeTimeout },
    // Without a context, a connection keeps no memory between two messages.
    perMessageDeflate: { serverNoContextTakeover: true, clientNoContextTakeover: true },
  })
  reply.hijack()
  server.handleUpgrade(raw, raw.socket, raw.upgradeHead ?? Buffer.alloc(0), (socket) => {
    reply.raw.statusCode = 101
    raw.closeUpgraded = () => {
      closeWebSocket(socket, 1001, 'The service stops.')
    }
    socket._receiver.once('conclude', () => {
      reply.raw.isConcluded = true
    })
    limitLifetime(socket, limits.maxSeconds)
    const isOver = limitSmallFrames(socket, raw.socket)
    const send = createReply(socket, raw.socket, limits.maxUnsentBytes)
    socket.on('error', () => undefined)
    socket.on('ping', (payload) => {
      send((done) => {
        socket.pong(payload, false, done)
      })
    })
    use({ socket, isOver, reply: send })
  })
}

/** The timeout of ws is a global timer, which a test may have faked. */
export function closeWebSocket(socket: WebSocket, status: number, reason: string): void {
  socket.close(status, reason)
  setTimeout(() => {
    socket.terminate()
  }, closeTimeout).unref()
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
