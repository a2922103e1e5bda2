import type { IncomingMessage } from 'node:http'
import { Http2ServerRequest } from 'node:http2'
import type { Config } from '../../config/config.ts'
import { awaitsContinue, sendContinue } from '../request/continue.ts'
import { isHttp2 } from '../response/framing.ts'
import {
  badRequest,
  chunksTooSmall,
  contentTooLarge,
  type HttpError,
  requestTimeout,
} from '../errors/http-error.ts'

export type BodyTimes = Pick<Config, 'bodyIdleSeconds' | 'requestSeconds'>

const cutOff = 'The body ended early.'

/** The body as it was sent, without chunks. Throws 413 over `maxBodyBytes`, 408 when it is late. */
export async function readBytes(
  raw: IncomingMessage,
  { maxBodyBytes, ...times }: BodyTimes & Pick<Config, 'maxBodyBytes'>,
): Promise<Buffer> {
  const tooLarge = () => contentTooLarge(`The body is over ${String(maxBodyBytes)} bytes.`)
  if (Number(raw.headers['content-length'] ?? 0) > maxBodyBytes) throw tooLarge()
  sendContinue(raw)
  const whole = await readAvailable(raw)
  if (whole !== undefined) {
    if (whole.length > maxBodyBytes) throw tooLarge()
    return whole
  }
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const bytes = createByteCollector(maxBodyBytes)
  watchBody(raw, times, reject)
  raw.on('data', (chunk: Buffer) => {
    if (!bytes.add(chunk)) reject(tooLarge())
  })
  raw.on('end', () => {
    // Over HTTP/2 a lost connection ends the body like a whole one (RFC 9113 §8.1.1).
    const request: object = raw
    const isCutOff = request instanceof Http2ServerRequest && request.stream.aborted
    if (isCutOff) reject(badRequest(cutOff))
    else resolve(bytes.toBuffer())
  })
  raw.on('error', (error) => {
    reject(badRequest(cutOff, error))
  })
  return promise
}

/** A small body mostly arrives with the head, and is read without listeners and timers. */
async function readAvailable(raw: IncomingMessage): Promise<Buffer | undefined> {
  // Node has parsed what arrived at once before an immediate runs.
  await new Promise(setImmediate)
  if (raw.destroyed) throw badRequest(cutOff)
  // An aborted request of HTTP/2 is `complete` too.
  if (!raw.complete || isHttp2(raw)) return undefined
  // Without a size Node 26 returns only the first chunk.
  const bytes: unknown = raw.read(raw.readableLength)
  return Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0)
}

/** One buffer that doubles: an object for each chunk would take more memory than a chunk of one byte. */
export function createByteCollector(maxBytes: number) {
  let buffer = Buffer.alloc(0)
  let size = 0
  return {
    /** False for a chunk that does not fit. */
    add: (chunk: Buffer): boolean => {
      const needed = size + chunk.length
      if (needed > maxBytes) return false
      if (needed > buffer.length) {
        const grown = Buffer.allocUnsafeSlow(Math.max(2 * buffer.length, needed, 1024))
        buffer.copy(grown, 0, 0, size)
        buffer = grown
      }
      size += chunk.copy(buffer, size)
      return true
    },
    toBuffer: () => buffer.subarray(0, size),
  }
}

/** A chunk costs about 2 µs: a body of one-byte chunks takes a thousand times the CPU of a plain one. */
const minChunkBytes = 16
const maxSmallChunks = 10_000

/**
 * Calls `onError` with a 408 when no bytes arrive, or the body takes too long (Node ends only
 * HTTP/1.1), and with a 400 when it consists of too many small chunks.
 */
export function watchBody(
  raw: IncomingMessage,
  { bodyIdleSeconds, requestSeconds }: BodyTimes,
  onError: (error: HttpError) => void,
): void {
  const fail = (error: HttpError) => {
    stop()
    onError(error)
  }
  const startTimer = (seconds: number, detail: string) =>
    setTimeout(() => {
      fail(requestTimeout(detail))
    }, seconds * 1000).unref()
  const idle = startTimer(bodyIdleSeconds, 'The body stopped arriving.')
  const whole = startTimer(requestSeconds, 'The body took too long to arrive.')
  let chunks = 0
  let size = 0
  const refresh = (chunk: Buffer) => {
    idle.refresh()
    chunks += 1
    size += chunk.length
    if (chunks > maxSmallChunks && size < chunks * minChunkBytes) fail(chunksTooSmall())
  }
  const stop = () => {
    raw.off('data', refresh)
    clearTimeout(idle)
    clearTimeout(whole)
  }
  raw.on('data', refresh).on('end', stop).on('close', stop)
}

const maxDiscardedBytes = 4 * 1024 * 1024

/**
 * Reads the rest of a body that is too large, for clients that read the response only after sending
 * everything. A longer body gets the response at once, and its connection is closed.
 */
export async function discardRest(raw: IncomingMessage, times: BodyTimes): Promise<void> {
  if (raw.readableEnded || raw.destroyed || awaitsContinue(raw)) return
  const { promise, resolve } = Promise.withResolvers<unknown>()
  if (Number(raw.headers['content-length'] ?? 0) > maxDiscardedBytes) resolve(undefined)
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
