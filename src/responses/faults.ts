import type { ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import { isNameOf } from '../config/is-name-of.ts'
import {
  firstHalf,
  repeatBody,
  reset,
  resetLater,
  resetStream,
  sendBothFramings,
  sendHalf,
  sendSlowHead,
  stall,
  toHeadBytes,
  write,
  type SoundResponse,
} from './break-response.ts'

export interface Fault {
  summary: string
  http1?: (response: SoundResponse, socket: Socket) => Promise<void> | void
  http2?: (response: SoundResponse, stream: ServerHttp2Stream) => Promise<void> | void
  /** A response without a body does not have it. */
  isInBody?: boolean
  /** The body is framed and paced as described, until its half. */
  isAfterHalf?: boolean
}

/** The error codes of RFC 9113 §7. */
const http2Errors = { none: 0, internal: 2, refusedStream: 7 } as const

export const faultNames = [
  ...(['reset-before-head', 'close-before-head', 'reset-in-head', 'slow-head'] as const),
  ...([
    'garbage',
    'duplicate-length',
    'length-and-chunked',
    'reset-in-body',
    'short-body',
    'bad-chunk',
  ] as const),
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
      const head = toHeadBytes(response)
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
  'length-and-chunked': {
    summary: 'The headers have both Content-Length and Transfer-Encoding: chunked.',
    http1: sendBothFramings,
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
      await resetStream(stream, http2Errors.internal)
    },
  },
  'stream-reset': {
    summary: 'RST_STREAM with INTERNAL_ERROR ends the stream after half of the body.',
    isInBody: true,
    isAfterHalf: true,
    http2: async (response, stream) => {
      await sendHalf(response)
      await resetStream(stream, http2Errors.internal)
    },
  },
  goaway: {
    summary: 'GOAWAY, and REFUSED_STREAM: the request can be repeated on a new connection.',
    http2: async (_, stream) => {
      const { session } = stream
      session?.goaway(http2Errors.none)
      await resetStream(stream, http2Errors.refusedStream)
      // Other streams are completed.
      session?.close()
    },
  },
}

export const isFaultName = (name: string) => isNameOf(faults, name)
