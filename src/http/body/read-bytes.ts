import { AsyncResource } from 'node:async_hooks'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { formatCount, formatNumber } from '../../config/format-count.ts'
import type { Config } from '../../config/config.ts'
import { maxChunks, maxDiscardedBytes, minChunkBytes } from '../../config/limits.ts'
import { findStream, isHttp2 } from '../request/target.ts'
import { badFraming, badRequest, contentTooLarge, requestTimeout } from '../errors/http-error.ts'
import { clearTimeout, setImmediate, setTimeout } from '../../timers.ts'

export type BodyTimes = Pick<Config, 'bodyIdleSeconds' | 'requestSeconds'>
type BodyLimits = BodyTimes & Pick<Config, 'maxBodyBytes'>

declare module 'node:http' {
  interface IncomingMessage {
    /** The body, if it was read before it was known who needs it. */
    bodyBytes?: Buffer
  }
}

const continuing = new WeakMap<IncomingMessage, ServerResponse>()

export function delayContinue(server: Server): void {
  server.on('checkContinue', (request, response) => {
    continuing.set(request, response)
    server.emit('request', request, response)
  })
}

export const awaitsContinue = (raw: IncomingMessage): boolean => continuing.has(raw)

export function sendContinue(raw: IncomingMessage): void {
  continuing.get(raw)?.writeContinue()
  continuing.delete(raw)
}

/** RFC 9113 §8.1.1: over HTTP/2 a lost connection ends the body like a whole one. */
export const isAborted = (raw: IncomingMessage): boolean => findStream(raw)?.aborted === true

export const endedEarly = 'The body ended early.'

const waiting: (() => void)[] = []

/** Calls back when Node has parsed what arrived with the head, which often is the whole body. */
export function afterParsing(callback: () => void): void {
  // The scope of the caller lets tracing see each request of a turn in its own context.
  const resource = new AsyncResource('body')
  waiting.push(() => {
    resource.runInAsyncScope(callback)
  })
  // One immediate for all requests of a turn; a tick would run before the body is parsed.
  if (waiting.length === 1) setImmediate(callWaiting)
}

function callWaiting(): void {
  for (const callback of waiting.splice(0)) callback()
}

/** If the body has arrived, it is read at once, without listeners, timers and promises. */
export function readBytes(raw: IncomingMessage, limits: BodyLimits): Buffer | Promise<Buffer> {
  if (isAnnouncedTooLarge(raw, limits.maxBodyBytes)) throw tooLarge(limits.maxBodyBytes)
  return readUpTo(raw, limits, () => {
    throw tooLarge(limits.maxBodyBytes)
  })
}

/** Waits for what arrived with the head first: to listen for the rest takes several times as long. */
export async function readArrived(raw: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  await new Promise<void>(afterParsing)
  return readBytes(raw, limits)
}

export function isAnnouncedTooLarge({ headers }: IncomingMessage, maxBytes: number): boolean {
  return Number(headers['content-length'] ?? 0) > maxBytes
}

type ToStart = (start: Buffer) => Buffer

export function readUpTo(
  raw: IncomingMessage,
  limits: BodyLimits,
  toStart: ToStart,
): Buffer | Promise<Buffer> {
  sendContinue(raw)
  if (raw.bodyBytes) return limitBytes(raw.bodyBytes, limits, toStart)
  if (raw.destroyed) throw badRequest(endedEarly)
  // An aborted request of HTTP/2 is `complete` too.
  if (!raw.complete || isHttp2(raw)) return readSlowly(raw, limits, toStart)
  // Node 26 returns only the first chunk if no size is given.
  const bytes: unknown = raw.read(raw.readableLength)
  if (!Buffer.isBuffer(bytes)) return Buffer.alloc(0)
  return limitBytes(bytes, limits, toStart)
}

function limitBytes(bytes: Buffer, { maxBodyBytes }: BodyLimits, toStart: ToStart): Buffer {
  return bytes.length > maxBodyBytes ? toStart(bytes.subarray(0, maxBodyBytes)) : bytes
}

export function tooLarge(maxBytes: number): Error {
  return contentTooLarge(
    `The body is larger than ${formatNumber(maxBytes)} bytes (MAX_BODY_BYTES).`,
  )
}

function readSlowly(raw: IncomingMessage, limits: BodyLimits, toStart: ToStart): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const { maxBodyBytes } = limits
  const bytes = createByteCollector(maxBodyBytes)
  watchBody(raw, limits, reject)
  raw.on('data', function add(chunk: Buffer) {
    if (bytes.add(chunk)) return
    // A second rejection would have no handler, and end the process.
    raw.off('data', add)
    const start = new Promise<Buffer>((settle) => {
      settle(toStart(bytes.toBuffer()))
    })
    resolve(start)
  })
  raw.on('end', () => {
    if (isAborted(raw)) reject(badRequest(endedEarly))
    else resolve(bytes.toBuffer())
  })
  raw.on('error', (error) => {
    reject(badRequest(endedEarly, error))
  })
  return promise
}

/** One buffer that doubles: an object for each chunk would take more memory than a chunk of one byte. */
export function createByteCollector(
  maxBytes: number,
  reserve: (bytes: number) => boolean = () => true,
) {
  let buffer = Buffer.alloc(0)
  let kept = 0
  let size = 0
  return {
    add: (chunk: Buffer): boolean => {
      const needed = Math.min(kept + chunk.length, maxBytes)
      const capacity = Math.max(needed, Math.min(2 * buffer.length, maxBytes))
      // After bytes that did not fit, the next ones would be in the wrong place.
      const grows = needed > buffer.length && kept === size
      if (grows && reserve(capacity - buffer.length)) {
        const grown = Buffer.allocUnsafeSlow(capacity)
        buffer.copy(grown)
        buffer = grown
      }
      size += chunk.length
      kept += chunk.copy(buffer, kept)
      return kept === size
    },
    /** It makes no copy: the rest of the buffer stays in memory. */
    toBuffer: () => buffer.subarray(0, kept),
    findSizes: () => ({ size, capacity: buffer.length }),
  }
}

/** Fails with 408 when the body is late (Node ends only HTTP/1.1), with 400 for too many small chunks. */
export function watchBody(
  raw: IncomingMessage,
  { bodyIdleSeconds, requestSeconds }: BodyTimes,
  onError: (error: Error) => void,
): void {
  const fail = (error: Error) => {
    stop()
    onError(error)
  }
  const failAfter = (seconds: number, late: string) =>
    setTimeout(() => {
      fail(requestTimeout(`${late} ${formatCount(seconds, 'second')}.`))
    }, seconds * 1000).unref()
  const idle = failAfter(bodyIdleSeconds, 'No part of the body arrived within BODY_IDLE_SECONDS,')
  const whole = failAfter(requestSeconds, 'The body did not arrive within REQUEST_SECONDS,')
  let chunks = 0
  let size = 0
  const check = ({ length }: Buffer) => {
    idle.refresh()
    chunks += 1
    size += length
    const isTooSmall = chunks > maxChunks && size < chunks * minChunkBytes
    if (isTooSmall) fail(badFraming(tooSmall))
  }
  const stop = () => {
    raw.off('data', check)
    clearTimeout(idle)
    clearTimeout(whole)
  }
  raw.on('data', check).on('end', stop).on('close', stop)
}

const tooSmall = `The body arrives in more than ${formatNumber(maxChunks)} chunks of less than ${formatNumber(minChunkBytes)} bytes on average.`

/** Some clients read the response only after they have sent everything. A longer body is cut off. */
export async function discardRest(raw: IncomingMessage, times: BodyTimes): Promise<void> {
  if (raw.readableEnded || raw.destroyed || awaitsContinue(raw)) return
  const { promise, resolve } = Promise.withResolvers<unknown>()
  if (isAnnouncedTooLarge(raw, maxDiscardedBytes)) resolve(undefined)
  watchBody(raw, times, resolve)
  let size = 0
  raw.on('data', (chunk: Buffer) => {
    size += Math.max(chunk.length, minChunkBytes)
    if (size > maxDiscardedBytes) resolve(undefined)
    if (size > 2 * maxDiscardedBytes) raw.destroy()
  })
  raw.on('end', resolve).on('close', resolve).resume()
  await promise
}
