import type { FastifyReply, FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import { evaluatePreconditions, isRangeFresh, type Validators } from './conditional.ts'
import { parseRange } from './ranges.ts'
import { preconditionFailed, rangeNotSatisfiable } from './refusal.ts'

/** Bytes that are kept somewhere and can be read from any place. */
export interface Bytes extends Validators {
  /** The Content-Type. */
  type: string
  size: number
  /** Both positions inclusive. */
  open: (start: number, end: number) => Readable
}

/**
 * Answers a GET or HEAD with the bytes, a part of them (RFC 9110 §14), or the news that they have
 * not changed (§13). Throws 412 and 416.
 */
export function sendBytes(request: FastifyRequest, reply: FastifyReply, bytes: Bytes) {
  const { headers, method } = request
  const { etag, lastModified, type, size } = bytes
  reply.headers({ etag, 'last-modified': lastModified.toUTCString(), 'accept-ranges': 'bytes' })
  const outcome = evaluatePreconditions(headers, bytes)
  if (outcome === 'failed') throw preconditionFailed()
  if (outcome === 'not modified') return reply.code(304).send()

  // RFC 9110 §14.2: Range is for GET alone.
  const mayBePart = method === 'GET' && isRangeFresh(headers, bytes)
  const range = mayBePart ? parseRange(headers.range, size) : undefined
  if (range === 'unsatisfiable') throw rangeNotSatisfiable(size)
  const { start, end } = range ?? { start: 0, end: size - 1 }
  if (range) {
    const bounds = `${String(start)}-${String(end)}`
    reply.code(206).header('content-range', `bytes ${bounds}/${String(size)}`)
  }
  reply.type(type).header('content-length', String(end - start + 1))
  // A HEAD opens nothing, and of nothing there is nothing to read. A stream, since Fastify would
  // count the bytes of a text and say that there are none.
  return reply.send(method === 'HEAD' || size === 0 ? Readable.from([]) : bytes.open(start, end))
}
