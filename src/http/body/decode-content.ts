import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { pipeline, Readable, Transform } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import zlib from 'node:zlib'
import { isNameOf } from '../../config/is-name-of.ts'
import { maxContentCodings, maxZstdWindowBytes } from '../../config/limits.ts'
import { createByteCollector, tooLarge } from './read-bytes.ts'
import { badRequest, HttpError, unsupportedMediaType } from '../errors/http-error.ts'

const { BROTLI_OPERATION_FLUSH, Z_SYNC_FLUSH, ZSTD_d_windowLogMax, ZSTD_e_flush } = zlib.constants
const params = { [ZSTD_d_windowLogMax]: Math.log2(maxZstdWindowBytes) }

/** `finishFlush` lets a decoder accept content whose end is missing. */
const decoders = {
  gzip: { create: zlib.createGunzip, finishFlush: Z_SYNC_FLUSH },
  br: { create: zlib.createBrotliDecompress, finishFlush: BROTLI_OPERATION_FLUSH },
  zstd: { create: zlib.createZstdDecompress, finishFlush: ZSTD_e_flush, params },
  deflate: { create: zlib.createInflate, finishFlush: Z_SYNC_FLUSH },
}

export type Coding = keyof typeof decoders
const isCoding = (name: string) => isNameOf(decoders, name)

function createDecoder(coding: Coding, [first = 0]: Uint8Array, isRecorded: boolean) {
  const { create, finishFlush, ...options } = decoders[coding]
  // RFC 9110 §8.4.1.2: some clients omit the zlib header, of which the low bits are 8.
  const isRaw = coding === 'deflate' && (first & 15) !== 8
  // RFC 1952 §2.2: several members of gzip can follow each other.
  const ofEnd = isRecorded ? { finishFlush } : { rejectGarbageAfterEnd: coding !== 'gzip' }
  return (isRaw ? zlib.createInflateRaw : create)({ ...options, ...ofEnd })
}

/** Returns the codings in the order in which they were applied. Throws 415. */
export function findCodings({ headers }: Pick<IncomingMessage, 'headers'>): Coding[] {
  const names = (headers['content-encoding'] ?? '').toLowerCase().split(/[\s,]+/)
  const applied = names
    .filter((name) => name !== '' && name !== 'identity')
    .map((name) => (name === 'x-gzip' ? 'gzip' : name))
  if (applied.every(isCoding) && applied.length <= maxContentCodings) return applied
  const unknown = applied.find((name) => !isCoding(name))
  const problem =
    unknown === undefined
      ? `Content-Encoding can have at most ${String(maxContentCodings)} codings.`
      : `The coding ${unknown} is not supported. Use gzip, br, zstd or deflate.`
  throw unsupportedMediaType(problem, { 'accept-encoding': Object.keys(decoders).join(', ') })
}

/** Compression can add a little to content that is as long as its limit. */
export function toMaxEncodedBytes(maxBytes: number, codings: readonly Coding[]): number {
  return codings.length === 0 ? maxBytes : maxBytes + Math.ceil(maxBytes / 100) + 1024
}

export async function decodeContent(
  encoded: Readable,
  codings: readonly Coding[],
  { maxBytes, isRecorded = false }: { maxBytes: number; isRecorded?: boolean },
): Promise<Readable> {
  let content = encoded
  for (const [index, coding] of [...codings.entries()].toReversed()) {
    const start = await peek(content)
    if (start === undefined) break
    const decoded = limitBytes(toMaxEncodedBytes(maxBytes, codings.slice(0, index)))
    const decoder = createDecoder(coding, start, isRecorded).once('error', (error) => {
      const isOurs = error instanceof HttpError
      decoded.destroy(isOurs ? error : badRequest(`The body is not valid ${coding}.`, error))
    })
    pipeline(content, decoder, decoded, () => undefined)
    content = decoded
  }
  return content
}

async function peek(content: Readable): Promise<Buffer | undefined> {
  await once(content, 'readable')
  const start: unknown = content.read()
  if (!Buffer.isBuffer(start)) return undefined
  content.unshift(start)
  return start
}

export async function decodeBytes(bytes: Buffer, codings: readonly Coding[], maxBytes: number) {
  if (bytes.length === 0) return bytes
  return buffer(await decodeContent(Readable.from([bytes]), codings, { maxBytes }))
}

export const maxRecordedContent = 1024 * 1024

/** Decodes at most `maxBytes` of recorded content, which can be cut. Returns undefined if nothing can be decoded. */
export async function decodeRecorded(bytes: Buffer, contentEncoding: string, maxBytes: number) {
  const decoded = createByteCollector(maxBytes)
  try {
    const codings = findCodings({ headers: { 'content-encoding': contentEncoding } })
    if (codings.length === 0) return bytes
    const encoded = Readable.from([bytes])
    const limits = { maxBytes: maxRecordedContent, isRecorded: true }
    const content = await decodeContent(encoded, codings, limits)
    const chunks: AsyncIterable<unknown> = content
    for await (const chunk of chunks) if (!Buffer.isBuffer(chunk) || !decoded.add(chunk)) break
  } catch {
    if (decoded.findSizes().size === 0) return undefined
  }
  return decoded.toBuffer()
}

export function limitBytes(maxBytes: number): Transform {
  let size = 0
  return new Transform({
    transform: (chunk: Buffer, _, done) => {
      size += chunk.length
      done(size > maxBytes ? tooLarge(maxBytes) : null, chunk)
    },
  })
}
