import type { FastifyReply, FastifyRequest } from 'fastify'
import { pipeline, Readable, Transform } from 'node:stream'
import { isNotModified, isRangeFresh, type Validators } from './preconditions.ts'
import { addStreamDigests, wantsDigest, type ByteContent, type ByteSource } from '../body/digest.ts'
import { keepCompressed } from './compress.ts'
import { parseRange } from './ranges.ts'
import { rangeNotSatisfiable } from '../errors/http-error.ts'

export interface Bytes extends Validators, ByteSource {
  type: string
}

/** The whole content is one object, which is compressed once. */
export function toSource(content: Buffer): Pick<Bytes, 'size' | 'isInMemory' | 'open'> {
  const { length: size } = content
  keepCompressed(content)
  const open: Bytes['open'] = (start, end) =>
    end - start + 1 === size ? content : content.subarray(start, end + 1)
  return { size, isInMemory: true, open }
}

export async function sendBytes(request: FastifyRequest, reply: FastifyReply, bytes: Bytes) {
  const { headers, method } = request
  const { type, size, etag, lastModified } = bytes
  reply.headers({ etag, 'accept-ranges': 'bytes' })
  if (lastModified) reply.header('last-modified', lastModified.toUTCString())
  if (isNotModified(headers, bytes)) return reply.code(304).send()
  const allowsRange = method === 'GET' && isRangeFresh(headers, bytes)
  const range = allowsRange ? parseRange(headers.range, size) : undefined
  if (range === 'unsatisfiable') throw rangeNotSatisfiable(size)
  const { start, end } = range ?? { start: 0, end: size - 1 }
  if (range) {
    const bounds = `${String(start)}-${String(end)}/${String(size)}`
    reply.code(206).header('content-range', `bytes ${bounds}`)
  }
  if (wantsDigest(headers)) await addStreamDigests(request, reply, { bytes, start, end })
  const length = end - start + 1
  // Not an empty text, for which Fastify would set Content-Length to 0.
  const isEmpty = (method === 'HEAD' && !bytes.isInMemory) || size === 0
  const content = isEmpty ? Readable.from([]) : assertLength(await bytes.open(start, end), length)
  return reply.type(type).header('content-length', String(length)).send(content)
}

/** The client of a stream that is too short would wait for the rest. */
function assertLength(bytes: ByteContent, length: number): ByteContent {
  if (Buffer.isBuffer(bytes)) return bytes
  let rest = length
  const counted = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      rest -= chunk.length
      done(null, chunk)
    },
    flush: (done) => {
      done(rest === 0 ? null : new Error(`${String(rest)} bytes are missing`))
    },
  })
  return pipeline(bytes, counted, () => undefined)
}
