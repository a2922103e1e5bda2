import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { Socket } from 'node:net'
import { maxRecordedBytes } from '../config/limits.ts'
import { hasBody } from './body/body-reader.ts'
import { createByteCollector } from './body/read-bytes.ts'
import { findStream } from './request/target.ts'
import type { Pair } from './security/visitor-response.ts'
import { performance } from '../timers.ts'

declare module 'node:http' {
  interface IncomingMessage {
    recording?: Recording | undefined
  }
}

/** What is known of an exchange while it lasts. Times are those of `performance.now()`, or 0. */
export interface Recording {
  budget: ByteBudget
  connection: Connection
  requestsBefore: number
  headAt: number
  bodyAt: number
  handlerBeginAt: number
  handlerEndAt: number
  firstByteAt: number
  received: BodyCapture | undefined
  sent: string | Buffer | BodyCapture | undefined
  isRateLimited: boolean
  extras?: RecordedExtras
}

export interface RecordedExtras {
  fault?: string
  step?: number
  stub?: string
  /** From 1. */
  alternative?: number
  nearest?: NearestStub
  problem?: string
  earlyHints?: Fields
  trailers?: Fields
  requestTrailers?: Fields
}

export interface NearestStub {
  stub: string
  differences: readonly { name: string; expected: unknown; actual: unknown }[]
}

export type Fields = readonly Pair[]

export function recordExtras({ recording }: IncomingMessage, extras: RecordedExtras): void {
  if (recording) recording.extras = { ...recording.extras, ...extras }
}

declare module 'node:net' {
  interface Socket {
    recordedConnection?: Connection
  }
}

interface Connection {
  /** The id, the remote address and the version of TLS, with zeros between them. */
  text: string
  requests: number
}

export interface ByteBudget {
  reserve: (bytes: number) => boolean
  release: (bytes: number) => void
}

export function beginRecording(raw: IncomingMessage, budget: ByteBudget): Recording {
  const connection = findConnection(raw)
  const recording: Recording = {
    budget,
    connection,
    requestsBefore: connection.requests,
    headAt: performance.now(),
    bodyAt: 0,
    handlerBeginAt: 0,
    handlerEndAt: 0,
    firstByteAt: 0,
    received: undefined,
    sent: undefined,
    isRateLimited: false,
  }
  connection.requests += 1
  raw.recording = recording
  if (hasBody(raw)) captureBody(raw, recording, budget)
  return recording
}

export function endRecording(raw: IncomingMessage): void {
  const { received, sent } = raw.recording ?? {}
  received?.drop()
  if (typeof sent === 'object' && 'drop' in sent) sent.drop()
  raw.recording = undefined
}

const sessions = new WeakMap<object, Connection>()

const isTls = (socket: Socket): socket is TLSSocket => 'encrypted' in socket

function findConnection(raw: IncomingMessage): Connection {
  const session = findStream(raw)?.session
  // A property takes less time than a WeakMap. Over HTTP/2 the socket is a proxy, which can throw.
  const known = session ? sessions.get(session) : raw.socket.recordedConnection
  if (known !== undefined) return known
  const { socket } = raw
  const tls = isTls(socket) ? `${socket.getProtocol() ?? ''} ${socket.getCipher().name}` : ''
  const remoteAddress = `${socket.remoteAddress ?? ''}:${String(socket.remotePort ?? 0)}`
  const text = [randomUUID().slice(0, 8), remoteAddress, tls].join('\0')
  const connection = { text, requests: 0 }
  if (session) sessions.set(session, connection)
  else socket.recordedConnection = connection
  return connection
}

/** Captures at `push`, where Node adds what arrives: a body may have any reader or none. */
function captureBody(raw: IncomingMessage, recording: Recording, budget: ByteBudget): void {
  const capture = createCapture(budget)
  recording.received = capture
  const push = raw.push.bind(raw)
  raw.push = (chunk: Buffer | string | null, encoding?: BufferEncoding) => {
    if (chunk === null) recording.bodyAt = performance.now()
    else if (raw.recording) capture.add(chunk, encoding)
    return push(chunk, encoding)
  }
}

export type BodyCapture = ReturnType<typeof createCapture>

export function createCapture({ reserve, release }: ByteBudget) {
  const { add, toBuffer, findSizes } = createByteCollector(maxRecordedBytes, reserve)
  return {
    add: (chunk: Buffer | string, encoding?: BufferEncoding): void => {
      add(typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk)
    },
    drop: () => {
      release(findSizes().capacity)
    },
    /** Releases the memory: the bytes are counted with the exchange from now on. */
    finish: () => {
      const { size, capacity } = findSizes()
      release(capacity)
      const kept = toBuffer()
      return { bytes: kept.length === capacity ? kept : copyBytes(kept), size }
    },
  }
}

/** A part of a Buffer keeps all of it in memory. */
export function copyBytes(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(copy)
  return copy
}
