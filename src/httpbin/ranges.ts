import { randomBytes } from 'node:crypto'
import { badRequest } from '../http/errors/http-error.ts'
import { pace } from '../http/response/pacing.ts'
import {
  evaluatePreconditions,
  isRangeFresh,
  type Validators,
} from '../http/response/preconditions.ts'
import type { VisitorResponse } from '../http/response/send-visitor-response.ts'
import type { Pair } from '../http/security/visitor-response.ts'
import type { DialectRequest } from './dialect.ts'
import { parseQuerySeconds } from './parameters.ts'
import { addHeaders } from './render.ts'
import { findHeader } from './text.ts'

interface Range {
  start: number
  /** Inclusive. */
  last: number
}

const plain: Pair = ['Content-Type', 'text/plain; charset=utf-8']

const toLength = ({ start, last }: Range) => last - start + 1
const slice = (bytes: Buffer, { start, last }: Range) => bytes.subarray(start, last + 1)

const toContentRange = ({ start, last }: Range, { length }: Buffer): Pair => [
  'Content-Range',
  `bytes ${String(start)}-${String(last)}/${String(length)}`,
]

const toUnsatisfied = ({ length }: Buffer): Pair => ['Content-Range', `bytes */${String(length)}`]

export function renderRange(request: DialectRequest, text: string): VisitorResponse {
  const { maxBodyBytes } = request.config
  const { isPython, parseInteger } = request.dialect
  const size = parseInteger(text, 'count', 'ParseInt')
  const max = isPython ? Math.min(100 * 1024, maxBodyBytes) : maxBodyBytes
  const seconds = parseQuerySeconds(request, 'duration') ?? 0
  // Without quotation marks, it equals no other.
  const etag = `range${String(size)}`
  const response =
    size < 1 || size > max ? renderOutside(request, text, max) : renderLetters(request, size, etag)
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

function renderOutside({ dialect }: DialectRequest, text: string, max: number): VisitorResponse {
  const detail = `invalid count: ${text} not in range [1, ${String(max)}]`
  if (!dialect.isPython) return dialect.renderError(badRequest(detail))
  const body = `number of bytes must be in the range (0, ${String(max)}]`
  return { status: 404, headers: [plain], body }
}

function renderLetters(request: DialectRequest, size: number, etag: string): VisitorResponse {
  const bytes = Buffer.alloc(size, 'abcdefghijklmnopqrstuvwxyz')
  return request.dialect.isPython
    ? renderPython(request, bytes)
    : serveContent(request, bytes, { etag })
}

/** httpbin knows one range, and sends Content-Range with the whole body too. */
function renderPython({ headers: sent }: DialectRequest, bytes: Buffer): VisitorResponse {
  const { length } = bytes
  const range = parsePythonRange(findHeader(sent, 'range') ?? '', length)
  if (toLength(range) < 1 || range.start < 0 || range.last >= length) {
    return { status: 416, headers: [plain, toUnsatisfied(bytes)] }
  }
  const type: Pair = ['Content-Type', 'application/octet-stream']
  const headers = [type, toContentRange(range, bytes)]
  return { status: toLength(range) === length ? 200 : 206, headers, body: slice(bytes, range) }
}

/** A number that cannot be read counts as absent. */
function parsePythonRange(field: string, size: number): Range {
  const [unit = '', list = '', ...others] = field.trim().split('=')
  const isValid = unit.startsWith('bytes') && others.length === 0
  const [start, last] = (isValid ? list : '')
    .split('-')
    .map((text) => (/^\s*\+?\d+\s*$/.test(text) ? Number(text) : undefined))
  if (start !== undefined) return { start, last: last ?? size - 1 }
  return { start: last === undefined ? 0 : Math.max(0, size - last), last: size - 1 }
}

/** As `http.ServeContent` of Go, without the headers of validators. */
export function serveContent(
  { method, fastify: { headers } }: DialectRequest,
  bytes: Buffer,
  validators: Validators,
): VisitorResponse {
  const outcome = evaluatePreconditions(headers, validators)
  if (outcome === 'not modified' && /^(GET|HEAD)$/.test(method)) return { status: 304 }
  if (outcome !== 'proceed') return { status: 412, headers: [plain] }
  const { range: field = '' } = isRangeFresh(headers, validators) ? headers : {}
  const ranges = parseGoRanges(field, bytes.length)
  if (!ranges) return { status: 416, headers: [plain], body: 'invalid range\n' }
  const [first] = ranges
  if (first === undefined && /\d/.test(field)) {
    const body = 'invalid range: failed to overlap\n'
    return { status: 416, headers: [plain, toUnsatisfied(bytes)], body }
  }
  const total = ranges.reduce((sum, range) => sum + toLength(range), 0)
  if (first === undefined || total > bytes.length) return { headers: [plain], body: bytes }
  if (ranges.length > 1) return renderParts(ranges, bytes)
  const body = slice(bytes, first)
  return { status: 206, headers: [plain, toContentRange(first, bytes)], body }
}

/** Those that overlap the content. Undefined if the header is invalid. */
function parseGoRanges(field: string, size: number): Range[] | undefined {
  const [, list] = /^(?:bytes=|$)(.*)/s.exec(field) ?? []
  if (list === undefined) return undefined
  const ranges: Range[] = []
  for (const part of list.split(',').filter((one) => one.trim() !== '')) {
    const [, first, last = ''] = /^(\+?\d+|)\s*-\s*(\+?\d+|)$/.exec(part.trim()) ?? []
    if (first === undefined || first + last === '') return undefined
    if (first === '') ranges.push({ start: Math.max(0, size - Number(last)), last: size - 1 })
    else if (Number(first) >= size) continue
    else if (last !== '' && Number(last) < Number(first)) return undefined
    else ranges.push({ start: Number(first), last: Math.min(Number(last || size), size - 1) })
  }
  return ranges
}

/** RFC 9110 §14.6. */
function renderParts(ranges: readonly Range[], bytes: Buffer): VisitorResponse {
  const boundary = randomBytes(30).toString('hex')
  const parts = ranges.flatMap((range) => {
    const fields = [toContentRange(range, bytes), plain].map((pair) => pair.join(': '))
    return [Buffer.from([`\r\n--${boundary}`, ...fields, '', ''].join('\r\n')), slice(bytes, range)]
  })
  const body = Buffer.concat([...parts, Buffer.from(`\r\n--${boundary}--\r\n`)]).subarray(2)
  const type = `multipart/byteranges; boundary=${boundary}`
  return { status: 206, headers: [['Content-Type', type]], body }
}
