import type { IncomingHttpHeaders } from 'node:http'

/** What tells one state of a representation from another (RFC 9110 §8.8). */
export interface Validators {
  /** With its quotes, and `W/` when weak. */
  etag: string
  lastModified: Date
}

/**
 * Evaluates the preconditions of a GET or HEAD in the order of RFC 9110 §13.2.2: `proceed`,
 * `not modified` (304), or `failed` (412).
 */
export function evaluatePreconditions(
  headers: IncomingHttpHeaders,
  { etag, lastModified }: Validators,
): 'proceed' | 'not modified' | 'failed' {
  const ifMatch = headers['if-match']
  const ifNoneMatch = headers['if-none-match']
  if (ifMatch !== undefined) {
    if (!listsTag(ifMatch, etag, isStrongMatch)) return 'failed'
  } else if (isAfter(lastModified, headers['if-unmodified-since'])) return 'failed'

  if (ifNoneMatch !== undefined) {
    return listsTag(ifNoneMatch, etag, isWeakMatch) ? 'not modified' : 'proceed'
  }
  const since = parseDate(headers['if-modified-since'])
  return since !== undefined && !isAfter(lastModified, headers['if-modified-since'])
    ? 'not modified'
    : 'proceed'
}

/** Whether a Range may be honoured (RFC 9110 §13.1.5): no If-Range, or one that names this state. */
export function isRangeFresh(
  headers: IncomingHttpHeaders,
  { etag, lastModified }: Validators,
): boolean {
  const ifRange = headers['if-range']
  if (ifRange === undefined) return true
  if (typeof ifRange !== 'string') return false
  if (/^(W\/)?"/.test(ifRange)) return isStrongMatch(ifRange, etag)
  return parseDate(ifRange) === toSeconds(lastModified)
}

type Comparison = (one: string, other: string) => boolean

function listsTag(field: string, etag: string, matches: Comparison): boolean {
  if (field.trim() === '*') return true
  const tags = field.match(/(?:W\/)?"[^"]*"/g) ?? []
  return tags.some((tag) => matches(tag, etag))
}

// RFC 9110 §8.8.3.2
const isStrongMatch: Comparison = (one, other) => one === other && !one.startsWith('W/')
const isWeakMatch: Comparison = (one, other) =>
  one.replace(/^W\//, '') === other.replace(/^W\//, '')

function isAfter(time: Date, field: string | undefined): boolean {
  const date = parseDate(field)
  return date !== undefined && toSeconds(time) > date
}

// RFC 9110 §5.6.7: IMF-fixdate, and the two obsolete formats, the last of which names no zone.
const zonedDate = /^[A-Z][a-z]{2,8}, \d\d[ -][A-Z][a-z]{2}[ -]\d{2,4} \d\d:\d\d:\d\d GMT$/
const asctimeDate = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/

/** An HTTP date in whole seconds; what is none is as if it were not there (RFC 9110 §13.1.3). */
function parseDate(field = ''): number | undefined {
  const date = asctimeDate.test(field) ? `${field} GMT` : field
  const time = asctimeDate.test(field) || zonedDate.test(field) ? Date.parse(date) : NaN
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000)
}

function toSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1000)
}
