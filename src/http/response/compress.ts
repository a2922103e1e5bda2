import type { FastifyReply, FastifyRequest } from 'fastify'
import type { IncomingHttpHeaders } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import * as zlib from 'node:zlib'
import { chooseCoding, toCodedTag, type Coding } from '../negotiation/content-coding.ts'
import { isRawRequest } from '../request/target.ts'

const minBytes = 1024
const maxSyncBytes = 64 * 1024
/** An encoder takes up to 1.4 MiB, with a small window. Beyond this number, content is sent as it is. */
const maxEncoders = 64
let openEncoders = 0

const { constants } = zlib
// With `flush`, the client of a stream gets each chunk at once.
const encoders = {
  zstd: {
    ...{ now: zlib.zstdCompressSync, open: zlib.createZstdCompress },
    options: { flush: constants.ZSTD_e_flush, params: { [constants.ZSTD_c_windowLog]: 17 } },
  },
  br: {
    ...{ now: zlib.brotliCompressSync, open: zlib.createBrotliCompress },
    options: {
      flush: constants.BROTLI_OPERATION_FLUSH,
      params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 17 },
    },
  },
  gzip: {
    ...{ now: zlib.gzipSync, open: zlib.createGzip },
    options: { flush: constants.Z_SYNC_FLUSH },
  },
}

/** Contents that are sent often, compressed once in each coding. */
const keptContents = new WeakMap<Buffer, Partial<Record<Coding, Buffer>>>()

export function keepCompressed(content: Buffer): void {
  keptContents.set(content, {})
}

export function compress(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  const { headers, method, raw } = request
  const accepted = headers['accept-encoding']
  if (accepted === undefined || isRawRequest(raw)) return payload
  if (reply.statusCode === 304) setListedTag(headers, reply, chooseCoding(accepted).coding)
  const size = toSize(reply, payload)
  const isShort = size <= minBytes
  // Only a member with a weight makes short content unacceptable as it is.
  if (size === 0 || (isShort && !accepted.includes(';'))) return payload
  if (!isCompressible(request, reply)) return payload
  const { coding, isIdentityAllowed } = chooseCoding(accepted)
  if (coding === undefined || (isShort && isIdentityAllowed)) return payload
  const encoded = encode(payload, coding, method === 'HEAD')
  if (encoded === undefined) return payload
  const etag = reply.getHeader('etag')
  if (etag !== undefined) reply.header('etag', toCodedTag(String(etag), coding))
  reply.removeHeader('content-length').removeHeader('accept-ranges')
  reply.header('content-encoding', coding)
  return encoded
}

/** RFC 9110 §15.4.5: a 304 has the tag of the 200, which is the one that the client has listed. */
function setListedTag(headers: IncomingHttpHeaders, reply: FastifyReply, coding?: Coding): void {
  const etag = coding && toCodedTag(String(reply.getHeader('etag')), coding)
  if (etag && headers['if-none-match']?.includes(etag.replace('W/', ''))) reply.header('etag', etag)
}

function toSize(reply: FastifyReply, content: unknown): number {
  if (content instanceof Readable) return Number(reply.getHeader('content-length') ?? Infinity)
  return typeof content === 'string' || Buffer.isBuffer(content) ? content.length : 0
}

const compressible =
  /^text\/(?!event-stream)|^application\/(?:javascript|json|x-ndjson|xml|yaml)\b|\+(?:json|xml)\b/

/**
 * With no-store, a response is about one visitor. It may show a secret beside input, and its
 * compressed length would disclose the secret (BREACH). Ranges, digests, and what is stored for an
 * Idempotency-Key are of the content as it is.
 */
function isCompressible({ headers }: FastifyRequest, reply: FastifyReply): boolean {
  if ([204, 206, 304].includes(reply.statusCode) || 'idempotency-key' in headers) return false
  if (/no-store|no-transform/.test(String(reply.getHeader('cache-control')))) return false
  const fixed = ['content-encoding', 'content-digest', 'repr-digest']
  if (fixed.some((name) => reply.hasHeader(name))) return false
  return compressible.test(String(reply.getHeader('content-type')))
}

function encode(payload: unknown, coding: Coding, isHead: boolean): unknown {
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
