import type { Config } from '../config/config.ts'
import type { FieldProblem } from '../http/errors/http-error.ts'
import { isWithoutBody } from '../http/response/send.ts'
import { forbiddenTrailers } from '../http/response/send-visitor-response.ts'
import type { ResponseDescription } from './description.ts'

export type DescriptionLimits = Pick<
  Config,
  'maxBodyBytes' | 'maxDurationSeconds' | 'maxHeaderBytes'
>

/** Each costs a write. */
const maxChunks = 10_000

/** What a schema cannot express. */
export function findConflicts(
  description: ResponseDescription,
  limits: DescriptionLimits,
): FieldProblem[] {
  const size = toBody(description).length
  const bodies = (['body', 'json', 'base64'] as const).filter((name) => name in description)
  return [
    ...bodies
      .slice(1)
      .map((field) => ({ field, message: `cannot be used with ${bodies[0] ?? ''}` })),
    ...findBodyProblems(description, size, limits),
    ...findTimeProblems(description, size, limits),
    ...findHeaderProblems(description, limits),
  ]
}

const bodyOfFault = 'The body of a response that has a fault.\n'

/** With a fault never empty, so that a part of it can be missing. */
export function toBody(description: ResponseDescription): Buffer {
  const { fault, status } = description
  const given = toGivenBody(description)
  const isSample = fault !== undefined && given.length === 0 && !isWithoutBody(status)
  return isSample ? Buffer.from(bodyOfFault) : given
}

function toGivenBody({ body, base64, ...others }: ResponseDescription): Buffer {
  if (base64 !== undefined) return Buffer.from(base64, 'base64')
  return Buffer.from('json' in others ? JSON.stringify(others.json) : (body ?? ''))
}

function findBodyProblems(
  description: ResponseDescription,
  length: number,
  { maxBodyBytes }: DescriptionLimits,
) {
  const { base64, status, pause, chunk_size: chunkSize, trailers, framing } = description
  const { fault, seconds } = description
  const [name = 'body'] = (['json', 'base64'] as const).filter((one) => one in description)
  const problems: (false | FieldProblem)[] = [
    length > maxBodyBytes && {
      field: name,
      message: `is longer than ${maxBodyBytes.toLocaleString('en')} bytes (MAX_BODY_BYTES)`,
    },
    length > 0 &&
      isWithoutBody(status) && {
        field: name,
        message: `is impossible: a response with status ${String(status)} has no body`,
      },
    base64 !== undefined &&
      !/^[\w+/-]*={0,2}$/.test(base64) && { field: 'base64', message: 'is not valid Base64' },
    fault !== undefined &&
      ['chunk_size', 'close', 'framing', 'trailers'].some((other) => other in description) && {
        field: 'fault',
        message: 'cannot be used with chunk_size, close, framing or trailers',
      },
    pause !== undefined &&
      chunkSize === undefined && { field: 'pause', message: 'needs chunk_size' },
    seconds !== undefined && fault === undefined && { field: 'seconds', message: 'needs fault' },
    trailers !== undefined &&
      (framing ?? 'chunked') !== 'chunked' && {
        field: 'trailers',
        message: 'need framing chunked',
      },
  ]
  return problems.filter((problem) => problem !== false)
}

/** Of a body of this size. An encoding changes it. */
export function findTimeProblems(
  { delay = 0, seconds = 0, pause = 0, chunk_size: chunkSize = Infinity }: ResponseDescription,
  size: number,
  { maxDurationSeconds: max }: DescriptionLimits,
): FieldProblem[] {
  const chunks = Math.ceil(size / chunkSize)
  if (chunks > maxChunks) {
    const message = `divides the body into more than ${maxChunks.toLocaleString('en')} chunks`
    return [{ field: 'chunk_size', message }]
  }
  if (delay + seconds + pause * Math.max(chunks - 1, 0) <= max) return []
  const message = `makes the response take more than ${String(max)} seconds (MAX_DURATION_SECONDS)`
  const field = seconds > 0 ? 'seconds' : delay > max ? 'delay' : 'pause'
  return [{ field, message }]
}

function findHeaderProblems(
  description: ResponseDescription,
  { maxHeaderBytes }: DescriptionLimits,
) {
  const { headers, cookies = [], trailers, early_hints: hints, type } = description
  const forbidden = Object.keys(trailers ?? {}).filter((name) => forbiddenTrailers.test(name))
  const wrong = cookies.findIndex((cookie) => !/^\s*[^\s=;][^=;]*=/.test(cookie))
  const problems: FieldProblem[] = []
  if (wrong !== -1) {
    const message = `at /${String(wrong)} must have the form name=value`
    problems.push({ field: 'cookies', message })
  }
  for (const name of forbidden)
    problems.push({ field: 'trailers', message: `must not have ${name}` })
  const all = { headers, trailers, early_hints: hints, cookies: { cookies }, type: { type } }
  for (const [field, given] of Object.entries(all)) {
    const lines = Object.entries(given ?? {}).flatMap(([name, values]) =>
      [values].flat().map((value = '') => `${name}: ${value}\r\n`),
    )
    if (lines.join('').length <= maxHeaderBytes) continue
    const limit = `${maxHeaderBytes.toLocaleString('en')} characters (MAX_HEADER_BYTES)`
    const message = `has more than ${limit}, with names and line ends`
    problems.push({ field, message })
  }
  return problems
}
