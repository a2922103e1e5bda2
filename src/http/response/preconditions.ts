import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { HttpError } from '../errors/http-error.ts'
import { chooseCoding, toCodedTag, withoutCodings } from './compress.ts'

export interface Validators {
  etag: string
  lastModified?: Date
}

/** The validators of all representations that a request for a resource can mean. */
export interface PossibleValidators {
  etags: readonly string[]
  lastModified?: Date | undefined
}

export function preconditionFailed(headers: IncomingHttpHeaders, etag?: string): HttpError {
  const current = etag ? ` The current ETag is ${etag}.` : ''
  const ifMatch = headers['if-match']
  const isWeak = ifMatch?.includes('W/"') === true
  const hint = isUnquoted(ifMatch)
    ? ' If-Match has no quotation marks, which are part of an ETag.'
    : isWeak
      ? ' If-Match never matches a weak ETag, which begins with W/.'
      : ''
  const detail = `A precondition of the request is false.${current}${hint}`
  return new HttpError('precondition-failed', detail, { headers: etag ? { etag } : {} })
}

/** RFC 9110 §8.8.3: a list of entity tags has quotation marks. */
export const isUnquoted = (field = '*'): boolean => !field.includes('"') && field.trim() !== '*'

/** Throws 412. */
export function assertPreconditions(request: Conditional, validators: Validators) {
  const outcome = testConditions(request, validators)
  if (outcome === 'failed') throw preconditionFailed(request.headers, validators.etag)
  return outcome
}

declare module 'node:http' {
  interface IncomingMessage {
    comparison?: ComparedValidators
  }
}

interface ComparedValidators extends PossibleValidators {
  outcome: 'proceed' | 'not modified' | 'failed'
}

export type Conditional = Pick<IncomingMessage, 'headers' | 'recording' | 'comparison'>

const conditions = ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since']

function keepComparison(
  request: Conditional,
  state: PossibleValidators,
  outcome: ComparedValidators['outcome'],
) {
  if (request.recording && conditions.some((name) => name in request.headers)) {
    request.comparison = { ...state, outcome }
  }
  return outcome
}

export function testConditions(
  request: Conditional,
  { etag, lastModified }: { etag?: string | undefined; lastModified?: Date | undefined },
) {
  const state = { etags: etag === undefined ? [] : [etag], lastModified }
  return keepComparison(request, state, evaluate(request.headers, state))
}

function evaluate(
  headers: IncomingHttpHeaders,
  state: PossibleValidators,
): ComparedValidators['outcome'] {
  const { etags: own, lastModified } = state
  if (!isUnmodified(headers, state)) return 'failed'
  const ifNoneMatch = headers['if-none-match']
  if (ifNoneMatch !== undefined) {
    const { coding } = chooseCoding(headers['accept-encoding'] ?? '')
    const etags = coding ? own.flatMap((tag) => [tag, toCodedTag(tag, coding)]) : own
    return listsTag(ifNoneMatch, etags, isWeakMatch) ? 'not modified' : 'proceed'
  }
  return isUnmodifiedSince(headers['if-modified-since'], lastModified) ? 'not modified' : 'proceed'
}

export function mayWrite(request: Conditional, state?: PossibleValidators): boolean {
  const isAllowed = isWriteAllowed(request.headers, state)
  keepComparison(request, state ?? { etags: [] }, isAllowed ? 'proceed' : 'failed')
  return isAllowed
}

function isWriteAllowed(
  headers: IncomingHttpHeaders,
  state: PossibleValidators | undefined,
): boolean {
  if (state === undefined) return headers['if-match'] === undefined
  const ifNoneMatch = withoutCodings(headers['if-none-match'] ?? '')
  if (listsTag(ifNoneMatch, state.etags, isWeakMatch)) return false
  return isUnmodified(headers, state)
}

export function hasPrecondition(headers: IncomingHttpHeaders): boolean {
  const { 'if-match': ifMatch, 'if-unmodified-since': since } = headers
  return ifMatch !== undefined || parseDate(since) !== undefined
}

/** RFC 9110 §13.1.4: If-Match takes precedence over If-Unmodified-Since. */
function isUnmodified(
  headers: IncomingHttpHeaders,
  { etags, lastModified }: PossibleValidators,
): boolean {
  const ifMatch = headers['if-match']
  if (ifMatch !== undefined) return listsTag(withoutCodings(ifMatch), etags, isStrongMatch)
  return isUnmodifiedSince(headers['if-unmodified-since'], lastModified) ?? true
}

function isUnmodifiedSince(field: string | undefined, lastModified?: Date): boolean | undefined {
  const since = parseDate(field)
  return since === undefined ? undefined : lastModified && toSeconds(lastModified) <= since
}

/** RFC 9110 §8.8.2.2: a file may change again within the second of its Last-Modified. */
export function isRangeFresh(headers: IncomingHttpHeaders, validators: Validators): boolean {
  const { etag, lastModified } = validators
  const ifRange = headers['if-range']
  if (ifRange === undefined) return true
  if (typeof ifRange !== 'string') return false
  if (/^(W\/)?"/.test(ifRange)) return isStrongMatch(ifRange, etag)
  if (lastModified === undefined || toSeconds(lastModified) >= toSeconds(new Date())) return false
  return parseDate(ifRange) === toSeconds(lastModified)
}

type TagMatch = (one: string, other: string) => boolean

function listsTag(field: string, etags: readonly string[], matches: TagMatch): boolean {
  if (field.trim() === '*') return true
  const tags = field.match(/(?:W\/)?"[^"]*"/g) ?? []
  return tags.some((tag) => etags.some((etag) => matches(tag, etag)))
}

const isStrongMatch: TagMatch = (one, other) => one === other && !one.startsWith('W/')
const isWeakMatch: TagMatch = (one, other) => one.replace(/^W\//, '') === other.replace(/^W\//, '')

// RFC 9110 §5.6.7: IMF-fixdate, and the two obsolete formats, the last without a zone.
const dateFormats = [
  /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/,
  /^[A-Z][a-z]{5,8}, \d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/,
]

/** Returns seconds, or undefined for an invalid date, which is ignored (RFC 9110 §13.1.3). */
function parseDate(field: string | undefined): number | undefined {
  if (field === undefined || !dateFormats.some((format) => format.test(field))) return undefined
  const time = Date.parse(field.replace(/-\d\d /, toFullYear).replace(/\d$/, '$& GMT'))
  return Number.isNaN(time) ? undefined : time / 1000
}

/** RFC 9110 §5.6.7: a year more than 50 years ahead is of the past century. */
function toFullYear(text: string): string {
  const now = new Date().getUTCFullYear()
  const year = now - (now % 100) + Number(text.slice(1))
  return `-${String(year > now + 50 ? year - 100 : year)} `
}

const toSeconds = (time: Date): number => Math.floor(time.getTime() / 1000)
