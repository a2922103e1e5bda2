import type { IncomingHttpHeaders } from 'node:http'

export interface Validators {
  etag: string
  lastModified?: Date
}

/** The tags of all representations of a resource. */
export interface State {
  etags: readonly string[]
  lastModified?: Date | undefined
}

type Conditions = Pick<
  IncomingHttpHeaders,
  'if-match' | 'if-none-match' | 'if-modified-since' | 'if-unmodified-since'
>

/** The preconditions of a read, in the order of RFC 9110 §13.2.2: 304 for `not modified`, 412 for `failed`. */
export function evaluatePreconditions(
  headers: Conditions,
  { etag, lastModified }: Validators,
): 'proceed' | 'not modified' | 'failed' {
  if (!isUnmodified(headers, { etags: [etag], lastModified })) return 'failed'
  const ifNoneMatch = headers['if-none-match']
  if (ifNoneMatch !== undefined) {
    return listsTag(ifNoneMatch, [etag], isWeakMatch) ? 'not modified' : 'proceed'
  }
  return isUnmodifiedSince(headers['if-modified-since'], lastModified) ? 'not modified' : 'proceed'
}

/** Whether the preconditions allow a write (RFC 9110 §13.2.2); `state` is undefined for a new resource. */
export function mayWriteResource(headers: Conditions, state: State | undefined): boolean {
  if (state === undefined) return headers['if-match'] === undefined
  const ifNoneMatch = headers['if-none-match']
  if (ifNoneMatch !== undefined && listsTag(ifNoneMatch, state.etags, isWeakMatch)) return false
  return isUnmodified(headers, state)
}

/** Whether a write names the state that it expects. */
export function hasStatePrecondition(headers: Conditions): boolean {
  const { 'if-match': ifMatch, 'if-unmodified-since': since } = headers
  return ifMatch !== undefined || parseDate(since) !== undefined
}

/** RFC 9110 §13.1.4: If-Match takes precedence over If-Unmodified-Since. */
function isUnmodified(headers: Conditions, { etags, lastModified }: State): boolean {
  const ifMatch = headers['if-match']
  if (ifMatch !== undefined) return listsTag(ifMatch, etags, isStrongMatch)
  return isUnmodifiedSince(headers['if-unmodified-since'], lastModified) ?? true
}

/** Undefined without a valid date or a time to compare it with. */
function isUnmodifiedSince(field: string | undefined, lastModified?: Date): boolean | undefined {
  const since = parseDate(field)
  return since === undefined ? undefined : lastModified && toSeconds(lastModified) <= since
}

/** RFC 9110 §13.1.5: no If-Range, or one that matches the current state. */
export function isRangeFresh(
  headers: IncomingHttpHeaders,
  { etag, lastModified }: Validators,
): boolean {
  const ifRange = headers['if-range']
  if (ifRange === undefined) return true
  if (typeof ifRange !== 'string') return false
  if (/^(W\/)?"/.test(ifRange)) return isStrongMatch(ifRange, etag)
  return lastModified !== undefined && parseDate(ifRange) === toSeconds(lastModified)
}

type Comparison = (one: string, other: string) => boolean

function listsTag(field: string, etags: readonly string[], matches: Comparison): boolean {
  if (field.trim() === '*') return true
  const tags = field.match(/(?:W\/)?"[^"]*"/g) ?? []
  return tags.some((tag) => etags.some((etag) => matches(tag, etag)))
}

// RFC 9110 §8.8.3.2
const isStrongMatch: Comparison = (one, other) => one === other && !one.startsWith('W/')
const isWeakMatch: Comparison = (one, other) =>
  one.replace(/^W\//, '') === other.replace(/^W\//, '')

// RFC 9110 §5.6.7: IMF-fixdate, and the two obsolete formats, the last without a zone.
const zonedDate = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/
const rfc850Date = /^[A-Z][a-z]{5,8}, (\d\d-[A-Z][a-z]{2}-)(\d\d \d\d:\d\d:\d\d GMT)$/
const asctimeDate = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/

/** In seconds; undefined for an invalid date, which is ignored (RFC 9110 §13.1.3). */
function parseDate(field = ''): number | undefined {
  let time = NaN
  if (zonedDate.test(field)) time = Date.parse(field)
  else if (asctimeDate.test(field)) time = Date.parse(`${field} GMT`)
  else if (rfc850Date.test(field)) time = parseRfc850Date(field)
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000)
}

/** RFC 9110 §5.6.7: a year more than 50 years ahead is of the past century. */
function parseRfc850Date(field: string): number {
  const now = new Date()
  const century = Math.floor(now.getUTCFullYear() / 100)
  const inCentury = (number: number) =>
    Date.parse(field.replace(rfc850Date, `$1${String(number)}$2`))
  const time = inCentury(century)
  const isPast = time > now.setUTCFullYear(now.getUTCFullYear() + 50)
  return isPast ? inCentury(century - 1) : time
}

function toSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1000)
}
