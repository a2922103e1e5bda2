import { createCipheriv, hash, randomBytes } from 'node:crypto'
import { maxChunks, maxPythonBytes } from '../../config/limits.ts'
import { badRequest } from '../../http/errors/http-error.ts'
import { pace, paceItems } from '../../http/response/pacing.ts'
import { testConditions, isRangeFresh, type Validators } from '../../http/response/preconditions.ts'
import type { Pair } from '../../http/security/visitor-response.ts'
import type { DialectRequest } from '../dialect.ts'
import { toEndpoint, type DialectEndpoint } from '../endpoint.ts'
import { assertInRange, findInteger, parseQuerySeconds } from '../parameters.ts'
import { addHeaders, renderAs } from '../render.ts'
import { findHeader } from '../text.ts'
import {
  parseGoRanges,
  parsePythonRange,
  slice,
  toContentRange,
  toLength,
  toUnsatisfied,
  type Range,
} from './byte-ranges.ts'

const type = 'application/octet-stream'
const plain = 'text/plain; charset=utf-8'
const mediaTypes = [type]
const seed = { seed: ['The same seed gives the same bytes.', '1'] } as const
const chunkSize = { chunk_size: ['The size of each part in bytes.', '10'] } as const

/** httpbin shortens a larger size. */
const toSchemas: DialectEndpoint['toSchemas'] = ({ dialect, config }) => {
  const maximum = dialect.isPython ? Number.MAX_SAFE_INTEGER : config.maxBodyBytes
  return { size: { type: 'integer', minimum: 0, maximum } }
}
const chunked = { mediaTypes, toSchemas, query: { ...seed, ...chunkSize } }
const ranged = {
  mediaTypes: [type, 'multipart/byteranges'],
  statuses: [200, 206, 304, 412, 416],
  query: { duration: ['The seconds of the transfer.', '0'], ...chunkSize },
} as const

export const byteEndpoints = [
  toEndpoint(
    '/bytes/:size=26',
    'Send random bytes',
    { mediaTypes, toSchemas, query: seed },
    renderBytes,
  ),
  toEndpoint('/stream-bytes/:size=26', 'Send random bytes in chunks', chunked, streamBytes),
  toEndpoint('/range/:size=26', 'Send letters, or ranges of them', ranged, renderRange),
]

/** The key stream of a cipher starts alike for every size. */
export function toRandomBytes(size: number, seed: number | undefined): Buffer {
  if (seed === undefined) return takeRandomBytes(size)
  const key = hash('md5', String(seed), 'buffer')
  return createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(size))
}

const poolSize = 64 * 1024
let pool = Buffer.alloc(0)

/** It takes a sixth of the time of `randomBytes` for 1 KiB. No byte of the pool is used twice. */
function takeRandomBytes(size: number): Buffer {
  if (size > poolSize / 16) return randomBytes(size)
  if (size > pool.length) pool = randomBytes(poolSize)
  const taken = Buffer.from(pool.subarray(0, size))
  pool = pool.subarray(size)
  return taken
}

/** In Go, the response to HEAD has the length only if the handler sets it. */
const renderSized = (type: string, body: Buffer, status = 200) => ({
  ...renderAs(type, body, status),
  size: body.length,
})

function renderBytes(request: DialectRequest, text: string) {
  const { maxBodyBytes: max } = request.config
  const { isPython, parseInteger } = request.dialect
  const size = parseInteger(text, 'byte count')
  const key = findInteger(request, 'seed')
  if (size < 0) throw badRequest(`invalid byte count: ${String(size)} must be greater than 0`)
  if (isPython) return renderAs(type, toRandomBytes(Math.min(size, maxPythonBytes, max), key))
  if (size === 0) return {}
  assertInRange(size, 'byte count', [1, max])
  return renderSized(type, toRandomBytes(size, key))
}

function streamBytes(request: DialectRequest, text: string) {
  const response = renderBytes(request, text)
  const { body } = response
  if (!Buffer.isBuffer(body)) return response
  const given = findInteger(request, 'chunk_size', 'Atoi') ?? 10 * 1024
  // In go-httpbin, no chunk has such a size, so that all bytes are in the last one.
  const whole = request.dialect.isPython ? 1 : body.length
  const size = Math.max(given < 1 ? whole : given, Math.ceil(body.length / maxChunks), 1)
  const count = Math.ceil(body.length / size)
  const toChunk = (index: number) => body.subarray(index * size, (index + 1) * size)
  return renderAs(type, paceItems(request.reply, { count, pauseMs: 0 }, toChunk))
}

function renderRange(request: DialectRequest, text: string) {
  const { maxBodyBytes } = request.config
  const { isPython, parseInteger } = request.dialect
  const size = parseInteger(text, 'count', 'ParseInt')
  const max = isPython ? Math.min(maxPythonBytes, maxBodyBytes) : maxBodyBytes
  const seconds = parseQuerySeconds(request, 'duration') ?? 0
  // The pauses do not depend on it.
  if (isPython) findInteger(request, 'chunk_size')
  // An ETag without quotation marks equals no other.
  const etag = `range${String(size)}`
  const response =
    size < 1 || size > max ? renderOutside(request, size, max) : renderLetters(request, size, etag)
  // Go removes the ETag of an error.
  const tag: Pair[] = response.status === 416 && !isPython ? [] : [['ETag', etag]]
  const all = addHeaders(response, ...tag, ['Accept-Ranges', 'bytes'])
  const { body } = all
  if (seconds === 0 || !Buffer.isBuffer(body)) return all
  const pauseMs = (seconds * 1000) / size
  return { ...all, size: body.length, body: paceBytes(request, body, pauseMs) }
}

async function* paceBytes({ reply }: DialectRequest, bytes: Buffer, pauseMs: number) {
  for await (const { start, end } of pace(reply, { count: bytes.length, pauseMs, batch: 16_384 })) {
    yield bytes.subarray(start, end)
  }
}

function renderOutside({ dialect }: DialectRequest, size: number, max: number) {
  const detail = `invalid count: ${String(size)} not in range [1, ${String(max)}]`
  if (!dialect.isPython) return dialect.renderError(badRequest(detail))
  const body = `number of bytes must be in the range (0, ${String(max)}]`
  return renderAs(plain, body, 404)
}

function renderLetters(request: DialectRequest, size: number, etag: string) {
  const bytes = Buffer.alloc(size, 'abcdefghijklmnopqrstuvwxyz')
  return request.dialect.isPython
    ? renderPython(request, bytes)
    : serveContent(request, bytes, { etag })
}

/** httpbin knows one range, and sends Content-Range with the whole body too. */
function renderPython({ headers: sent }: DialectRequest, bytes: Buffer) {
  const { length } = bytes
  const range = parsePythonRange(findHeader(sent, 'range') ?? '', length)
  if (toLength(range) < 1 || range.start < 0 || range.last >= length) {
    return addHeaders(renderAs(plain, '', 416), toUnsatisfied(bytes))
  }
  const status = toLength(range) === length ? 200 : 206
  return addHeaders(renderAs(type, slice(bytes, range), status), toContentRange(range, bytes))
}

/** `http.ServeContent` of Go does the same, and adds the headers of validators. */
export function serveContent(
  { method, fastify: { headers, raw } }: DialectRequest,
  bytes: Buffer,
  validators: Validators,
) {
  const outcome = testConditions(raw, validators)
  if (outcome === 'not modified' && /^(GET|HEAD)$/.test(method)) return { status: 304, headers: [] }
  if (outcome !== 'proceed') return renderAs(plain, '', 412)
  const { range: field = '' } = isRangeFresh(headers, validators) ? headers : {}
  const ranges = parseGoRanges(field, bytes.length)
  if (!ranges) return renderAs(plain, 'invalid range\n', 416)
  const [first] = ranges
  if (first === undefined && /\d/.test(field)) {
    const response = renderAs(plain, 'invalid range: failed to overlap\n', 416)
    return addHeaders(response, toUnsatisfied(bytes))
  }
  const total = ranges.reduce((sum, range) => sum + toLength(range), 0)
  if (first === undefined || total > bytes.length) return renderSized(plain, bytes)
  if (ranges.length > 1) return renderParts(ranges, bytes)
  return addHeaders(renderSized(plain, slice(bytes, first), 206), toContentRange(first, bytes))
}

/** RFC 9110 §14.6 has the format. */
function renderParts(ranges: readonly Range[], bytes: Buffer) {
  const boundary = randomBytes(30).toString('hex')
  const parts = ranges.flatMap((range) => {
    const field = toContentRange(range, bytes).join(': ')
    const head = `\r\n--${boundary}\r\n${field}\r\nContent-Type: ${plain}\r\n\r\n`
    return [Buffer.from(head), slice(bytes, range)]
  })
  const body = Buffer.concat([...parts, Buffer.from(`\r\n--${boundary}--\r\n`)]).subarray(2)
  return renderSized(`multipart/byteranges; boundary=${boundary}`, body, 206)
}
