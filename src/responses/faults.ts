import type { FastifyReply } from 'fastify'
import { constants, type ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { isNameOf } from '../config/is-name-of.ts'
import { renderLastHead } from '../http/response/last-head.ts'
import { pace, toPause, wait } from '../http/response/pacing.ts'
import { isWithoutBody } from '../http/response/send.ts'
import { nextTurn } from '../timers.ts'

export interface SoundResponse {
  reply: FastifyReply
  body: Buffer
  seconds: number
  maxBodyBytes: number
  /** Over HTTP/1.1, in place of Content-Length. */
  isChunked: boolean
  toChunks: (bytes: Buffer) => AsyncIterable<Buffer>
}

export interface Fault {
  summary: string
  http1?: (response: SoundResponse, socket: Socket) => Promise<void> | void
  http2?: (response: SoundResponse, stream: ServerHttp2Stream) => Promise<void> | void
  /** A response without a body does not have it. */
  isInBody?: boolean
  /** The body is framed and paced as described, until its half. */
  isAfterHalf?: boolean
}

const { NGHTTP2_NO_ERROR, NGHTTP2_INTERNAL_ERROR, NGHTTP2_REFUSED_STREAM } = constants

export const faultNames = [
  ...(['reset-before-head', 'close-before-head', 'reset-in-head', 'slow-head'] as const),
  ...(['garbage', 'duplicate-length', 'reset-in-body', 'short-body', 'bad-chunk'] as const),
  ...(['stall', 'endless-body', 'stream-reset', 'goaway'] as const),
] as const

export type FaultName = (typeof faultNames)[number]

export const faults: Readonly<Record<FaultName, Fault>> = {
  'reset-before-head': {
    summary: 'The connection is reset (RST) before the status line.',
    http1: (_, socket) => {
      reset(socket)
    },
  },
  'close-before-head': {
    summary: 'The connection is closed (FIN) before the status line.',
    http1: (_, socket) => {
      socket.destroySoon()
    },
  },
  'reset-in-head': {
    summary: 'The connection is reset in the middle of the headers.',
    http1: async (response, socket) => {
      const head = toHead(response)
      await write(socket, head.subarray(0, head.length / 2))
      await resetLater(response, socket)
    },
  },
  'slow-head': {
    summary: 'The status line and the headers arrive one byte at a time, over `seconds`.',
    http1: sendSlowHead,
  },
  garbage: {
    summary: 'The response is not HTTP.',
    http1: (_, socket) => {
      socket.write('\0\x01\x02 This is not HTTP.\r\n\r\n')
      socket.destroySoon()
    },
  },
  'duplicate-length': {
    summary: 'There are two headers Content-Length, and the second is one byte too long.',
    http1: async ({ reply: { raw }, body }) => {
      raw.shouldKeepAlive = false
      raw.setHeader('content-length', [String(body.length), String(body.length + 1)])
      await write(raw, body)
      raw.end()
    },
  },
  'reset-in-body': {
    summary: 'The connection is reset after half of the body.',
    isInBody: true,
    isAfterHalf: true,
    http1: async (response, socket) => {
      await sendHalf(response)
      await resetLater(response, socket)
    },
  },
  'short-body': {
    summary: 'The body ends after its half.',
    isInBody: true,
    isAfterHalf: true,
    http1: async (response, socket) => {
      response.reply.raw.shouldKeepAlive = false
      await sendHalf(response)
      // The end of the response would send the last chunk.
      socket.destroySoon()
    },
    http2: async (response) => {
      await sendHalf(response)
      response.reply.raw.end()
    },
  },
  'bad-chunk': {
    summary: 'The size of the second chunk is not a number.',
    isInBody: true,
    http1: async ({ reply, body }, socket) => {
      reply.raw.setHeader('transfer-encoding', 'chunked')
      await write(reply.raw, firstHalf(body))
      socket.write('size\r\n')
      socket.destroySoon()
    },
  },
  stall: {
    summary: 'After half of the body nothing arrives for `seconds`, and then the rest.',
    isInBody: true,
    isAfterHalf: true,
    http1: stall,
    http2: stall,
  },
  'endless-body': {
    summary: 'The body is repeated, and cut off after MAX_BODY_BYTES in `seconds`.',
    isInBody: true,
    http1: async (response, socket) => {
      await repeatBody(response)
      socket.destroySoon()
    },
    http2: async (response, stream) => {
      await repeatBody(response)
      await resetStream(stream, NGHTTP2_INTERNAL_ERROR)
    },
  },
  'stream-reset': {
    summary: 'RST_STREAM with INTERNAL_ERROR ends the stream after half of the body.',
    isInBody: true,
    isAfterHalf: true,
    http2: async (response, stream) => {
      await sendHalf(response)
      await resetStream(stream, NGHTTP2_INTERNAL_ERROR)
    },
  },
  goaway: {
    summary: 'GOAWAY, and REFUSED_STREAM: the request can be repeated on a new connection.',
    http2: async (_, stream) => {
      const { session } = stream
      session?.goaway(NGHTTP2_NO_ERROR)
      await resetStream(stream, NGHTTP2_REFUSED_STREAM)
      // Other streams are completed.
      session?.close()
    },
  },
}

export const isFaultName = (name: string) => isNameOf(faults, name)

export function hasBody({ request, raw: { statusCode } }: FastifyReply): boolean {
  return request.method !== 'HEAD' && !isWithoutBody(statusCode)
}

const firstHalf = (body: Buffer) => body.subarray(0, body.length / 2)

/** Resolves when the operating system has the bytes, or when the client has gone. */
function write(target: Writable, bytes: Buffer): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  target.write(bytes, resolve)
  return promise
}

/** Node resets only TCP connections, and not the TLS connection above one. */
function reset(socket: Socket & { _parent?: Socket | null }): void {
  const tcp = socket._parent ?? socket
  tcp.resetAndDestroy()
}

/** The reset waits: Node 26 aborts the process if it is in a callback of received frames. */
async function resetStream(stream: ServerHttp2Stream, code: number): Promise<void> {
  await nextTurn()
  stream.close(code)
}

/** The reset waits: some systems discard received bytes that were not read before it. */
async function resetLater({ reply }: SoundResponse, socket: Socket): Promise<void> {
  await wait(reply, 100)
  reset(socket)
}

function toHead({ reply: { raw }, body }: SoundResponse): Buffer {
  const headers = { ...raw.getHeaders(), 'content-length': body.length }
  return Buffer.from(renderLastHead(raw.statusCode, headers), 'latin1')
}

async function sendSlowHead(response: SoundResponse, socket: Socket): Promise<void> {
  const { reply, body, seconds } = response
  const head = toHead(response)
  const { length: count } = head
  const pauseMs = toPause(seconds, count)
  for await (const { start, end } of pace(reply, { count, pauseMs, batch: 1 })) {
    await write(socket, head.subarray(start, end))
  }
  if (hasBody(reply)) await write(socket, body)
  socket.destroySoon()
}

async function sendHalf(response: SoundResponse): Promise<void> {
  const { reply, body, isChunked } = response
  if (isChunked) reply.raw.setHeader('transfer-encoding', 'chunked')
  else reply.raw.setHeader('content-length', body.length)
  const half = firstHalf(body)
  if (half.length === 0) await write(reply.raw, half)
  await writeChunks(response, half)
}

async function writeChunks({ reply, toChunks }: SoundResponse, bytes: Buffer): Promise<void> {
  for await (const chunk of toChunks(bytes)) await write(reply.raw, chunk)
}

async function stall(response: SoundResponse): Promise<void> {
  const { reply, body, seconds } = response
  await sendHalf(response)
  if (!(await wait(reply, seconds * 1000))) return
  await writeChunks(response, body.subarray(body.length / 2))
  reply.raw.end()
}

async function repeatBody({ reply, body, seconds, maxBodyBytes }: SoundResponse): Promise<void> {
  const chunk = body.length < 1024 ? Buffer.alloc(1024, body) : body
  const count = Math.ceil(maxBodyBytes / chunk.length)
  for await (const { start, end } of pace(reply, { count, pauseMs: toPause(seconds, count) })) {
    for (let index = start; index < end; index += 1) await write(reply.raw, chunk)
  }
}
