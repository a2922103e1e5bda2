import type { Pair } from '../http/security/visitor-response.ts'
import { randomBytes } from 'node:crypto'
import { badRequest } from '../http/errors/http-error.ts'
import {
  evaluatePreconditions,
  isRangeFresh,
  type Validators,
} from '../http/response/preconditions.ts'
import type { BinRequest, BinResponse } from './dialect.ts'
import { pace } from '../http/response/pacing.ts'
import { parseQuerySeconds } from './parameters.ts'
import { addHeaders } from './render.ts'
import { findHeader } from './text.ts'

interface Range {
  start: number
  /** Inclusive. */
  last: number
}

const plainType = 'text/plain; charset=utf-8'
const letters = 'abcdefghijklmnopqrstuvwxyz'

const toLength = ({ start, last }: Range) => last - start + 1

const toLetters = (range: Range) =>
  Buffer.alloc(toLength(range), letters.slice(range.start % 26) + letters)

const toContentRange = ({ start, last }: Range, size: number): Pair => [
  'Content-Range',
  `bytes ${String(start)}-${String(last)}/${String(size)}`,
]

export function renderRange(request: BinRequest): BinResponse {
  const { maxBodyBytes } = request.config
  const { isPython, parseInteger } = request.dialect
  const size = parseInteger(request.parameters[0] ?? '', 'count', 'ParseInt')
  const max = isPython ? Math.min(100 * 1024, maxBodyBytes) : maxBodyBytes
  const seconds = parseQuerySeconds(request, 'duration') ?? 0
  const etag = `range${String(size)}`
  const validators: readonly Pair[] = [
    ['ETag', etag],
    ['Accept-Ranges', 'bytes'],
  ]
  const isOutside = size < 1 || size > max
  const response = isOutside
    ? renderOutside(request, max)
    : isPython
      ? renderPython(request, size)
      : // Without quotation marks, the ETag equals no other.
        serveContent(request, { size, etag, toBytes: toLetters })
  // Go removes the ETag of an error.
  const headers = response.status === 416 && !isPython ? validators.slice(1) : validators
  const all = addHeaders(response, ...headers)
  const { body } = all
  if (seconds === 0 || !Buffer.isBuffer(body)) return all
  const pauseMs = (seconds * 1000) / size
  return { ...all, size: body.length, body: paceBytes(request, body, pauseMs) }
}

async function* paceBytes(request: BinRequest, bytes: Buffer, pauseMs: number) {
  const count = bytes.length
  for await (const { start, end } of pace(request.reply, { count, pauseMs, batch: 16_384 })) {
    yield bytes.subarray(start, end)
  }
}

function renderOutside(request: BinRequest, max: number): BinResponse {
  const detail = `invalid count: ${request.parameters[0] ?? ''} not in range [1, ${String(max)}]`
  const { isPython, renderError } = request.dialect
  if (!isPython) return renderError(badRequest(detail))
  const body = `number of bytes must be in the range (0, ${String(max)}]`
  return { status: 404, headers: [['Content-Type', plainType]], body }
}

/** httpbin knows one range, and sends Content-Range with the whole body too. */
function renderPython(request: BinRequest, size: number): BinResponse {
  const range = parsePythonRange(findHeader(request.headers, 'range') ?? '', size)
  if (toLength(range) < 1 || range.start < 0 || range.last >= size) {
    const unsatisfied: Pair = ['Content-Range', `bytes */${String(size)}`]
    return { status: 416, headers: [['Content-Type', plainType], unsatisfied] }
  }
  const type: Pair = ['Content-Type', 'application/octet-stream']
  const headers = [type, toContentRange(range, size)]
  return { status: toLength(range) === size ? 200 : 206, headers, body: toLetters(range) }
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

interface Content extends Validators {
  size: number
  toBytes: (range: Range) => Buffer
}

/** As `http.ServeContent` of Go, without the headers of validators. */
export function serveContent(
  { method, dialect: { textType }, fastify: { headers } }: BinRequest,
  { size, toBytes, ...validators }: Content,
): BinResponse {
  const type: Pair = ['Content-Type', textType]
  const outcome = evaluatePreconditions(headers, validators)
  if (outcome === 'not modified' && /^(GET|HEAD)$/.test(method)) return { status: 304 }
  if (outcome !== 'proceed') return { status: 412, headers: [type] }
  const field = isRangeFresh(headers, validators) ? headers.range : undefined
  const ranges = parseGoRanges(field ?? '', size)
  if (!Array.isArray(ranges)) return renderUnsatisfied(ranges, size)
  const total = ranges.reduce((sum, range) => sum + toLength(range), 0)
  const [first] = ranges
  if (first === undefined || total > size) {
    return { headers: [type], body: toBytes({ start: 0, last: size - 1 }) }
  }
  if (ranges.length === 1) {
    return { status: 206, headers: [type, toContentRange(first, size)], body: toBytes(first) }
  }
  return renderParts(ranges, type, { size, toBytes })
}

function renderUnsatisfied(problem: 'invalid' | 'outside', size: number): BinResponse {
  const isOutside = problem === 'outside'
  const headers: readonly Pair[] = isOutside ? [['Content-Range', `bytes */${String(size)}`]] : []
  return {
    status: 416,
    headers: [['Content-Type', plainType], ...headers],
    body: isOutside ? 'invalid range: failed to overlap\n' : 'invalid range\n',
  }
}

function parseGoRanges(field: string, size: number): Range[] | 'invalid' | 'outside' {
  if (field === '') return []
  if (!field.startsWith('bytes=')) return 'invalid'
  const ranges: Range[] = []
  let isOutside = false
  for (const part of field.slice('bytes='.length).split(',')) {
    if (part.trim() === '') continue
    const [, first, last = ''] = /^(\+?\d+|)\s*-\s*(\+?\d+|)$/.exec(part.trim()) ?? []
    if (first === undefined || first + last === '') return 'invalid'
    if (first === '') ranges.push({ start: Math.max(0, size - Number(last)), last: size - 1 })
    else if (Number(first) >= size) isOutside = true
    else if (last !== '' && Number(last) < Number(first)) return 'invalid'
    else ranges.push({ start: Number(first), last: Math.min(Number(last || size), size - 1) })
  }
  return isOutside && ranges.length === 0 ? 'outside' : ranges
}

/** RFC 9110 §14.6. */
function renderParts(
  ranges: readonly Range[],
  [name, type]: Pair,
  { size, toBytes }: Pick<Content, 'size' | 'toBytes'>,
): BinResponse {
  const boundary = randomBytes(30).toString('hex')
  const parts = ranges.flatMap((range, index) => {
    const head = `${index === 0 ? '' : '\r\n'}--${boundary}\r\n${toContentRange(range, size).join(': ')}\r\n`
    return [Buffer.from(`${head}${name}: ${type}\r\n\r\n`), toBytes(range)]
  })
  const body = Buffer.concat([...parts, Buffer.from(`\r\n--${boundary}--\r\n`)])
  return { status: 206, headers: [[name, `multipart/byteranges; boundary=${boundary}`]], body }
}
