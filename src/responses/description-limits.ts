import { createCipheriv, createHash } from 'node:crypto'
import { formatNumber } from '../config/format-count.ts'
import type { Config } from '../config/config.ts'
import { maxChunks } from '../config/limits.ts'
import type { FieldProblem } from '../http/errors/http-error.ts'
import { isWithoutContent } from '../http/response/without-content.ts'
import { forbiddenTrailers } from '../http/response/send-visitor-response.ts'
import type { Description } from './description.ts'
import { toMaxDelay } from './delay.ts'
import { faults } from './faults.ts'
import { findScriptProblems } from './script.ts'

export interface DescriptionLimits extends Pick<
  Config,
  'maxBodyBytes' | 'maxDurationSeconds' | 'maxHeaderBytes' | 'maxUploadBytes'
> {
  /** Where `file` is looked up. Without it, a description can have none. */
  folder?: string
  /** Whether it is that of a stub, which can have `websocket`. */
  isStub?: boolean
}

export function findConflicts(description: Description, limits: DescriptionLimits): FieldProblem[] {
  const size = description.size ?? toBody(description).length
  return [
    ...toProblems(checkBody(description, size, limits)),
    ...findTimeProblems(description, size, limits),
    ...toProblems(checkHeaders(description, limits)),
    ...findScriptProblems(description, limits),
  ]
}

type LimitCheck = readonly [isWrong: boolean, field: string, message: string, inside?: string[]]

function toProblems(checks: readonly LimitCheck[]): FieldProblem[] {
  return checks.flatMap(([isWrong, field, message, inside = []]) =>
    isWrong ? [{ field, inside, message }] : [],
  )
}

const bodyOfFault = 'The body of a response that has a fault.\n'

/** The body of a fault is never empty, so that a part of it can be missing. */
export function toBody(description: Description, file?: Buffer): Buffer {
  const { fault, status } = description
  const given = file ?? toGivenBody(description)
  const isSample = fault !== undefined && given.length === 0 && !isWithoutContent(status)
  return isSample ? Buffer.from(bodyOfFault) : given
}

function toGivenBody({ body, base64, size, seed = 0, ...others }: Description): Buffer {
  if (size !== undefined) return generateBytes(size, seed)
  if (base64 !== undefined) return Buffer.from(base64, 'base64')
  return Buffer.from('json' in others ? JSON.stringify(others.json) : (body ?? ''))
}

/** The key stream of AES looks random, and takes a millisecond for a megabyte. */
function generateBytes(size: number, seed: number): Buffer {
  const key = createHash('sha256').update(String(seed)).digest().subarray(0, 16)
  return createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(size))
}

/** RFC 4648 §4 and §5, with or without padding. */
function isBase64(text: string): boolean {
  const [, digits = '', padding = ''] = /^([\w+/-]*)(={0,2})$/.exec(text) ?? []
  if (digits.length + padding.length !== text.length || digits.length % 4 === 1) return false
  return padding === '' || text.length % 4 === 0
}

function checkBody(
  description: Description,
  length: number,
  { maxBodyBytes, maxUploadBytes, folder }: DescriptionLimits,
): LimitCheck[] {
  const { base64 = '', status, pause, trailers, framing = 'chunked', fault, seconds } = description
  const has = (name: string) => name in description
  const forms = ['body', 'json', 'base64', 'size', 'file']
  const [first = 'body', ...others] = forms.filter(has)
  const [name = 'body'] = forms.slice(1).filter(has)
  // The owner of the service chooses what a stub generates.
  const isLarge = folder !== undefined && description.size !== undefined
  const [max, limit] = isLarge
    ? [maxUploadBytes, 'MAX_UPLOAD_BYTES']
    : [maxBodyBytes, 'MAX_BODY_BYTES']
  const most = `${formatNumber(max)} bytes (${limit})`
  const isFramed = fault !== undefined && faults[fault].isAfterHalf === true
  const ofFraming = ['close', 'trailers', ...(isFramed ? [] : ['chunk_size', 'framing'])]
  const hasFraming = ofFraming.some(has) || framing === 'close'
  const ofFault = `cannot be used with close, trailers${isFramed ? ' or framing close' : ', chunk_size or framing'}`
  const ofStatus = `is impossible: a response with status ${String(status)} has no body`
  return [
    ...others.map((field): LimitCheck => [true, field, `cannot be used with ${first}`]),
    [has('file') && folder === undefined, 'file', 'is possible in a file of stubs only'],
    [length > max, name, `is longer than ${most}`],
    [length > 0 && isWithoutContent(status), name, ofStatus],
    [!isBase64(base64), 'base64', 'is not valid Base64'],
    [fault !== undefined && hasFraming, 'fault', ofFault],
    [pause !== undefined && !has('chunk_size'), 'pause', 'needs chunk_size'],
    [has('at') && !isFramed, 'at', 'needs fault short-body, reset-in-body or stall'],
    [has('seed') && !has('size'), 'seed', 'needs size'],
    [seconds !== undefined && fault === undefined, 'seconds', 'needs fault'],
    [trailers !== undefined && framing !== 'chunked', 'trailers', 'need framing chunked'],
  ]
}

export function findTimeProblems(
  { delay: given, seconds = 0, pause = 0, idle = 0, ...others }: Description,
  size: number,
  { maxDurationSeconds: max }: DescriptionLimits,
): FieldProblem[] {
  const delay = toMaxDelay(given)
  const chunks = Math.ceil(size / (others.chunk_size ?? Infinity))
  if (chunks > maxChunks) {
    const message = `divides the body into more than ${formatNumber(maxChunks)} chunks`
    return [{ field: 'chunk_size', message }]
  }
  if (idle > max)
    return [{ field: 'idle', message: `must be at most ${String(max)} (MAX_DURATION_SECONDS)` }]
  if (delay + seconds + pause * Math.max(chunks - 1, 0) <= max) return []
  const message = `is too long: the response must take at most ${String(max)} seconds (MAX_DURATION_SECONDS)`
  const field = seconds > 0 ? 'seconds' : delay > max ? 'delay' : 'pause'
  return [{ field, message }]
}

function checkHeaders(description: Description, limits: DescriptionLimits): LimitCheck[] {
  const { headers, header_base64 = {}, cookies = [], trailers = {} } = description
  const { early_hints, type } = description
  const wrong = cookies.findIndex((cookie) => !/^\s*[^\s=;][^=;]*=/.test(cookie))
  const forbidden = Object.keys(trailers).filter((name) => forbiddenTrailers.test(name))
  const { maxHeaderBytes } = limits
  const named = { headers, header_base64, trailers, early_hints }
  const all = { ...named, cookies: { cookies }, type: { type } }
  const most = `${formatNumber(maxHeaderBytes)} characters (MAX_HEADER_BYTES)`
  return [
    ...Object.entries(header_base64).map(([name, values]): LimitCheck => {
      const isWrong = ![values].flat().every(isBase64)
      return [isWrong, 'header_base64', 'is not valid Base64', [name]]
    }),
    [wrong !== -1, 'cookies', 'must have the form name=value', [String(wrong)]],
    ...forbidden.map((name): LimitCheck => [true, 'trailers', `must not have ${name}`]),
    ...Object.entries(all).map(([field, given = {}]): LimitCheck => {
      const lines = Object.entries(given).flatMap(([name, values]) =>
        [values].flat().map((value = '') => `${name}: ${value}\r\n`),
      )
      const isWrong = lines.join('').length > maxHeaderBytes
      return [isWrong, field, `has more than ${most}, with names and line ends`]
    }),
  ]
}
