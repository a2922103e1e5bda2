import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { pipeline, Readable, Transform } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import zlib from 'node:zlib'
import { tooLarge } from './read-bytes.ts'
import { badRequest, HttpError, unsupportedMediaType } from '../errors/http-error.ts'

const options = { rejectGarbageAfterEnd: true }
// RFC 9659 §3: a window of more than 8 MB is not to be accepted.
const zstdOptions = { ...options, params: { [zlib.constants.ZSTD_d_windowLogMax]: 23 } }

const decoders = {
  // RFC 1952 §2.2: several members can follow each other.
  gzip: () => zlib.createGunzip(),
  br: () => zlib.createBrotliDecompress(options),
  zstd: () => zlib.createZstdDecompress(zstdOptions),
  // RFC 9110 §8.4.1.2: some clients omit the zlib header, of which the low bits are 8.
  deflate: ([first = 0]: Uint8Array) =>
    (first & 15) === 8 ? zlib.createInflate(options) : zlib.createInflateRaw(options),
}

export type Coding = keyof typeof decoders

const maxCodings = 3

/** In the order in which they were applied. Throws 415. */
export function findCodings({ headers }: Pick<IncomingMessage, 'headers'>): Coding[] {
  const names = (headers['content-encoding'] ?? '').toLowerCase().split(/[\s,]+/)
  const applied = names
    .filter((name) => name !== '' && name !== 'identity')
    .map((name) => (name === 'x-gzip' ? 'gzip' : name))
  if (applied.every(isCoding) && applied.length <= maxCodings) return applied
  throw unsupportedMediaType(
    `Content-Encoding can have at most ${String(maxCodings)} of gzip, br, zstd and deflate.`,
    { 'accept-encoding': Object.keys(decoders).join(', ') },
  )
}

function isCoding(name: string): name is Coding {
  return Object.hasOwn(decoders, name)
}

/** Compression can add a little to content that is as long as its limit. */
export function toMaxEncodedBytes(maxBytes: number, codings: readonly Coding[]): number {
  return codings.length === 0 ? maxBytes : maxBytes + Math.ceil(maxBytes / 100) + 1024
}

/** An empty body stays empty. The stream fails with 400, or with 413 for more than `maxBytes`. */
export async function decodeContent(
  encoded: Readable,
  codings: readonly Coding[],
  maxBytes: number,
): Promise<Readable> {
  let content = encoded
  for (const [index, coding] of codings.toReversed().entries()) {
    const start = await peek(content)
    if (start === undefined) break
    const inner = codings.slice(0, codings.length - 1 - index)
    const decoded = limitBytes(toMaxEncodedBytes(maxBytes, inner))
    const decoder = decoders[coding](start).once('error', (error) => {
      const isOurs = error instanceof HttpError
      decoded.destroy(isOurs ? error : badRequest(`The body is not valid ${coding}.`, error))
    })
    pipeline(content, decoder, decoded, () => undefined)
    content = decoded
  }
  return content
}

export async function decodeBytes(
  bytes: Buffer,
  codings: readonly Coding[],
  maxBytes: number,
): Promise<Buffer> {
  if (bytes.length === 0) return bytes
  return buffer(await decodeContent(Readable.from([bytes]), codings, maxBytes))
}

async function peek(content: Readable): Promise<Buffer | undefined> {
  await once(content, 'readable')
  const start: unknown = content.read()
  if (!Buffer.isBuffer(start)) return undefined
  content.unshift(start)
  return start
}

export function limitBytes(
  maxBytes: number,
  onChunk?: (chunk: Buffer) => void,
  onEnd?: () => void,
): Transform {
  let size = 0
  return new Transform({
    transform: (chunk: Buffer, _, done) => {
      size += chunk.length
      onChunk?.(chunk)
      if (size <= maxBytes) done(null, chunk)
      else done(tooLarge(maxBytes))
    },
    flush: (done) => {
      try {
        onEnd?.()
        done()
      } catch (error) {
        done(error instanceof Error ? error : null)
      }
    },
  })
}
