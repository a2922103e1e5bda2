import { formatNumber } from '../config/format-count.ts'
import type { Config } from '../config/config.ts'
import { maxChunks } from '../config/limits.ts'
import type { FieldProblem } from '../http/errors/http-error.ts'
import { isWithoutContent } from '../http/response/without-content.ts'
import { forbiddenTrailers } from '../http/response/send-visitor-response.ts'
import type { Description } from './description.ts'
import { faults } from './faults.ts'

export interface DescriptionLimits extends Pick<
  Config,
  'maxBodyBytes' | 'maxDurationSeconds' | 'maxHeaderBytes' | 'maxUploadBytes'
> {
  /** Where `file` is looked up. Without it, a description can have none. */
  folder?: string
}

export function findConflicts(description: Description, limits: DescriptionLimits): FieldProblem[] {
  const size = toBody(description).length
  return [
    ...toProblems(checkBody(description, size, limits)),
    ...findTimeProblems(description, size, limits),
    ...toProblems(checkHeaders(description, limits)),
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
export function toBody(description: Description): Buffer {
  const { fault, status } = description
  const given = toGivenBody(description)
  const isSample = fault !== undefined && given.length === 0 && !isWithoutContent(status)
  return isSample ? Buffer.from(bodyOfFault) : given
}

function toGivenBody({ body, base64, ...others }: Description): Buffer {
  if (base64 !== undefined) return Buffer.from(base64, 'base64')
  return Buffer.from('json' in others ? JSON.stringify(others.json) : (body ?? ''))
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
  { maxBodyBytes }: DescriptionLimits,
): LimitCheck[] {
  const { base64 = '', status, pause, trailers, framing = 'chunked', fault, seconds } = description
  const has = (name: string) => name in description
  const [first = 'body', ...others] = ['body', 'json', 'base64'].filter(has)
  const [name = 'body'] = ['json', 'base64'].filter(has)
  const most = `${formatNumber(maxBodyBytes)} bytes (MAX_BODY_BYTES)`
  const isFramed = fault !== undefined && faults[fault].isAfterHalf === true
  const ofFraming = ['close', 'trailers', ...(isFramed ? [] : ['chunk_size', 'framing'])]
  const hasFraming = ofFraming.some(has) || framing === 'close'
  const ofFault = `cannot be used with close, trailers${isFramed ? ' or framing close' : ', chunk_size or framing'}`
  const ofStatus = `is impossible: a response with status ${String(status)} has no body`
  return [
    ...others.map((field): LimitCheck => [true, field, `cannot be used with ${first}`]),
    [length > maxBodyBytes, name, `is longer than ${most}`],
    [length > 0 && isWithoutContent(status), name, ofStatus],
    [!isBase64(base64), 'base64', 'is not valid Base64'],
    [fault !== undefined && hasFraming, 'fault', ofFault],
    [pause !== undefined && !has('chunk_size'), 'pause', 'needs chunk_size'],
    [seconds !== undefined && fault === undefined, 'seconds', 'needs fault'],
    [trailers !== undefined && framing !== 'chunked', 'trailers', 'need framing chunked'],
  ]
}

export function findTimeProblems(
  { delay = 0, seconds = 0, pause = 0, chunk_size: chunkSize = Infinity }: Description,
  size: number,
  { maxDurationSeconds: max }: DescriptionLimits,
): FieldProblem[] {
  const chunks = Math.ceil(size / chunkSize)
  if (chunks > maxChunks) {
    const message = `divides the body into more than ${formatNumber(maxChunks)} chunks`
    return [{ field: 'chunk_size', message }]
  }
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
