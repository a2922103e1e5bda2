import type { FastifyReply, FastifyRequest } from 'fastify'
import { pipeline, Readable, Transform } from 'node:stream'
import { formatNumber } from '../../config/format-count.ts'
import { assertPreconditions, isRangeFresh, type Validators } from './preconditions.ts'
import { addStreamDigests, wantsDigest, type ByteContent, type ByteSource } from '../body/digest.ts'
import { keepCompressed } from './compress.ts'
import { HttpError } from '../errors/http-error.ts'

export interface Bytes extends Validators, ByteSource {
  type: string
  headers?: Readonly<Record<string, string>>
}

export function toValidatorHeaders({ etag, lastModified }: Validators) {
  const time = lastModified && { 'last-modified': lastModified.toUTCString() }
  return { etag, 'accept-ranges': 'bytes', ...time }
}

/** The whole content is one object, which is compressed once. */
export function toSource(content: Buffer): Pick<Bytes, 'size' | 'isInMemory' | 'open'> {
  const { length: size } = content
  keepCompressed(content)
  const open: Bytes['open'] = (start, end) =>
    end - start + 1 === size ? content : content.subarray(start, end + 1)
  return { size, isInMemory: true, open }
}

export function sendBytes(request: FastifyRequest, reply: FastifyReply, bytes: Bytes) {
  const { headers } = request
  reply.headers(bytes.headers ?? toValidatorHeaders(bytes))
  if (assertPreconditions(request.raw, bytes) === 'not modified') return reply.code(304).send()
  const { start, end, contentRange } = findPart(request, bytes, bytes.size)
  if (contentRange !== undefined) reply.code(206).header('content-range', contentRange)
  const part = { bytes, start, end }
  if (!wantsDigest(headers)) return sendPart(request, reply, part)
  return addStreamDigests(request, reply, part).then(() => sendPart(request, reply, part))
}

/** What Range asks for, with its Content-Range, or all. Throws 416. */
export function findPart(
  { headers, method }: FastifyRequest,
  validators: Validators,
  size: number,
) {
  const allowsRange = method === 'GET' && isRangeFresh(headers, validators)
  const range = allowsRange ? parseRange(headers.range, size) : undefined
  if (range === 'unsatisfiable') {
    const contentRange = { 'content-range': `bytes */${String(size)}` }
    const detail = `The range starts after the end of the file (${formatNumber(size)} bytes).`
    throw new HttpError('range-not-satisfiable', detail, { headers: contentRange })
  }
  if (range === undefined) return { start: 0, end: size - 1, contentRange: undefined }
  const bounds = `${String(range.start)}-${String(range.end)}/${String(size)}`
  return { ...range, contentRange: `bytes ${bounds}` }
}

interface BytesPart {
  bytes: Bytes
  start: number
  end: number
}

function sendPart(request: FastifyRequest, reply: FastifyReply, { bytes, start, end }: BytesPart) {
  const length = end - start + 1
  const send = (content: ByteContent) =>
    reply.type(bytes.type).header('content-length', String(length)).send(content)
  // For an empty text, Fastify would set Content-Length to 0.
  const isHead = request.method === 'HEAD'
  if ((isHead && !bytes.isInMemory) || bytes.size === 0) return send(Readable.from([]))
  const content = bytes.open(start, end)
  if (Buffer.isBuffer(content)) return send(content)
  return Promise.resolve(content).then((opened) => send(assertStreamLength(opened, length)))
}

/** The client of a stream that is too short would wait for the rest. */
function assertStreamLength(bytes: ByteContent, length: number): ByteContent {
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

/** RFC 9110 §14.1.2; `end` is inclusive. Undefined for a header to ignore, as one with several ranges. */
export function parseRange(field = '', size: number) {
  const [, first, last] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(field) ?? []
  if (first === undefined || last === undefined || first + last === '') return undefined
  const length = Number(last)
  if (first === '') {
    const isEmpty = length === 0 || size === 0
    return isEmpty ? 'unsatisfiable' : { start: Math.max(0, size - length), end: size - 1 }
  }
  const start = Number(first)
  if (last !== '' && length < start) return undefined
  if (start >= size) return 'unsatisfiable'
  return { start, end: last === '' ? size - 1 : Math.min(length, size - 1) }
}
