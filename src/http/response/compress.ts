import type { FastifyReply, FastifyRequest } from 'fastify'
import type { IncomingHttpHeaders } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import * as zlib from 'node:zlib'
import { remember } from '../remember.ts'
import { isWithoutContent } from './without-content.ts'

/** The order is that of the server: zstd takes less time than br, and is smaller than gzip. */
const codings = ['zstd', 'br', 'gzip'] as const
type ResponseCoding = (typeof codings)[number]

const memberFormat =
  /^[ \t]*([\w!#$%&'*+.^`|~-]+)(?:[ \t]*;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?[ \t]*$/

/** RFC 9110 §12.5.3. Invalid members are ignored. */
export const chooseCoding = remember((accepted) => {
  const weights = new Map<string, number>()
  for (const member of accepted.toLowerCase().split(',')) {
    const [, name, weight = 1] = memberFormat.exec(member) ?? []
    if (name !== undefined) weights.set(name, Number(weight))
  }
  const weigh = (name: string, fallback = 0) => weights.get(name) ?? weights.get('*') ?? fallback
  const [coding] = codings
    .filter((name) => weigh(name) > 0 && weigh(name) >= (weights.get('identity') ?? 0))
    .toSorted((one, other) => weigh(other) - weigh(one))
  return { coding, isIdentityAllowed: weigh('identity', 1) > 0 }
})

/** RFC 9110 §8.8.3.3: the same content has another tag in each coding. */
export function toCodedTag(etag: string, coding: ResponseCoding): string {
  return etag.replace(/"$/, `+${coding}"`)
}

export const withoutCodings = (tags: string): string => tags.replaceAll(/\+(?:zstd|br|gzip)"/g, '"')

const minBytes = 1024
const maxSyncBytes = 64 * 1024
/** An encoder takes up to 1.4 MiB, with a small window. Beyond this number, content is sent as it is. */
const maxEncoders = 64
let openEncoders = 0

const { constants } = zlib
// With `flush`, the client of a stream gets each chunk at once.
const encoders = {
  zstd: {
    now: zlib.zstdCompressSync,
    open: zlib.createZstdCompress,
    options: { flush: constants.ZSTD_e_flush, params: { [constants.ZSTD_c_windowLog]: 17 } },
  },
  br: {
    now: zlib.brotliCompressSync,
    open: zlib.createBrotliCompress,
    options: {
      flush: constants.BROTLI_OPERATION_FLUSH,
      params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 17 },
    },
  },
  gzip: {
    now: zlib.gzipSync,
    open: zlib.createGzip,
    options: { flush: constants.Z_SYNC_FLUSH },
  },
}

const keptContents = new WeakMap<Buffer, Partial<Record<ResponseCoding, Buffer>>>()

export function keepCompressed(content: Buffer): void {
  keptContents.set(content, {})
}

export function compress(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  const { headers, method } = request
  const accepted = headers['accept-encoding']
  if (accepted === undefined) return payload
  const { coding, isIdentityAllowed } = chooseCoding(accepted)
  if (reply.statusCode === 304) setListedTag(headers, reply, coding)
  const size = toSize(reply, payload)
  const isLong = size > minBytes || (size > 0 && !isIdentityAllowed)
  if (coding === undefined || !isLong || !isCompressible(request, reply)) return payload
  const encoded = encode(payload, coding, method === 'HEAD')
  if (encoded === undefined) return payload
  const etag = reply.getHeader('etag')
  if (etag !== undefined) reply.header('etag', toCodedTag(String(etag), coding))
  reply.removeHeader('content-length').removeHeader('accept-ranges')
  reply.header('content-encoding', coding)
  return encoded
}

/** RFC 9110 §15.4.5: a 304 has the tag of the 200, which is the one that the client has listed. */
function setListedTag(
  headers: IncomingHttpHeaders,
  reply: FastifyReply,
  coding?: ResponseCoding,
): void {
  const etag = coding && toCodedTag(String(reply.getHeader('etag')), coding)
  if (etag && headers['if-none-match']?.includes(etag.replace('W/', ''))) reply.header('etag', etag)
}

function toSize(reply: FastifyReply, content: unknown): number {
  if (content instanceof Readable) return Number(reply.getHeader('content-length') ?? Infinity)
  return typeof content === 'string' || Buffer.isBuffer(content) ? content.length : 0
}

const compressible =
  /^text\/(?!event-stream)|^application\/(?:javascript|json|x-ndjson|xml|yaml)\b|\+(?:json|xml)\b/

// With no-store, a page may show a secret beside input: its compressed length would disclose it (BREACH).
// Ranges and digests count the bytes of the uncompressed content, which is also what an Idempotency-Key stores.
function isCompressible({ headers }: FastifyRequest, reply: FastifyReply): boolean {
  const { statusCode: status } = reply
  if (status === 206 || isWithoutContent(status) || 'idempotency-key' in headers) return false
  if (/no-store|no-transform/.test(String(reply.getHeader('cache-control')))) return false
  const fixed = ['content-encoding', 'content-digest', 'repr-digest']
  if (fixed.some((name) => reply.hasHeader(name))) return false
  return compressible.test(String(reply.getHeader('content-type')))
}

function encode(payload: unknown, coding: ResponseCoding, isHead: boolean): unknown {
  const { now, open, options } = encoders[coding]
  const content = typeof payload === 'string' ? Buffer.from(payload) : payload
  if (Buffer.isBuffer(content)) {
    const kept = keptContents.get(content)
    if (kept) return (kept[coding] ??= now(content, options))
    if (content.length <= maxSyncBytes) return now(content, options)
  }
  const source = content instanceof Readable ? content : Readable.from([content])
  if (isHead) return source
  if (openEncoders === maxEncoders) return undefined
  openEncoders += 1
  const encoder = open(options).once('close', () => (openEncoders -= 1))
  return pipeline(source, encoder, () => undefined)
}
