import { toHostname } from '../security/allowed-hosts.ts'
import { STATUS_CODES } from '../node-http.ts'
import { findProblemSlug, problemTypes, type ProblemSlug } from './problem-types.ts'

export interface FieldProblem {
  field: string
  /** Completes "name …": `is required`. */
  message: string
}

interface HttpErrorOptions {
  headers?: Readonly<Record<string, string>>
  fields?: readonly FieldProblem[]
  isJson?: boolean
  members?: Readonly<Record<string, unknown>>
  cause?: unknown
}

/** An error response: a kind of problem, or a status, and one sentence for a person. */
export class HttpError extends Error {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly fields: readonly FieldProblem[]
  /** Whether JSON is the default, where no route determines it. */
  readonly isJson: boolean | undefined
  /** Undefined for a status without a kind of problem, which a plugin may use. */
  readonly problem: ProblemSlug | undefined
  readonly members: Readonly<Record<string, unknown>>

  constructor(kind: ProblemSlug | number, detail: string, options: HttpErrorOptions = {}) {
    super(detail, { cause: options.cause })
    this.problem = typeof kind === 'number' ? findProblemSlug(kind) : kind
    this.status = typeof kind === 'number' ? kind : problemTypes[kind].status
    this.headers = options.headers ?? {}
    this.fields = options.fields ?? []
    this.isJson = options.isJson
    this.members = options.members ?? {}
  }

  get title(): string {
    return this.problem
      ? problemTypes[this.problem].title
      : (toReasonPhrase(this.status) ?? 'Error')
  }
}

const renamed: Readonly<Record<number, string>> = {
  413: 'Content Too Large',
  422: 'Unprocessable Content',
}

export function toReasonPhrase(status: number): string | undefined {
  return renamed[status] ?? STATUS_CODES[status]
}

const toFactory = (kind: ProblemSlug) => (detail: string, cause?: unknown) =>
  new HttpError(kind, detail, { cause })

export const badRequest = toFactory('bad-request')
export const conflict = toFactory('conflict')
export const contentTooLarge = toFactory('content-too-large')
export const digestMismatch = toFactory('digest-mismatch')
export const headersTooLarge = toFactory('headers-too-large')
export const invalidPatch = toFactory('invalid-patch')
export const notFound = toFactory('not-found')
export const notImplemented = toFactory('not-implemented')
export const patchTestFailed = toFactory('patch-test-failed')
export const unknownParameter = toFactory('unknown-parameter')
export const uriTooLong = toFactory('uri-too-long')
export const versionNotSupported = toFactory('version-not-supported')

export function chunksTooSmall(): HttpError {
  const headers = { connection: 'close' }
  return new HttpError('bad-request', 'The body arrives in too many small chunks.', { headers })
}

export function expectationFailed(detail: string): HttpError {
  // A client that sends no body after a 417 would send the next request in its place.
  return new HttpError('expectation-failed', detail, { headers: { connection: 'close' } })
}

export function unauthorized(detail: string): HttpError {
  // RFC 9110 §15.5.2 requires a challenge; a scheme unknown to browsers opens no dialog.
  const headers = { 'www-authenticate': 'Cookie realm="Vitrine"' }
  return new HttpError('unauthorized', detail, { headers })
}

/** RFC 9110 §15.5.20 */
export function misdirectedHost(host: string): HttpError {
  const detail = `The host ${toHostname(host) ?? host} is not served here. Add it to ALLOWED_HOSTS to allow it.`
  return new HttpError(
    'misdirected-request',
    host === '' ? 'The request has no Host header.' : detail,
  )
}

export function misdirectedScheme(): HttpError {
  return new HttpError('misdirected-request', 'An https: URL cannot be requested over plain HTTP.')
}

export function crossSiteWrite(origin = ''): HttpError {
  const named = URL.parse(origin)?.origin === origin ? origin : 'the origin of the page'
  const remedy =
    origin === 'null'
      ? 'The origin null, of a sandboxed page or a file, cannot be allowed.'
      : `Add ${named} to CORS_ORIGINS to allow it.`
  const detail = `Cross-site writes are blocked. ${remedy}`
  return new HttpError('cross-site-write', detail)
}

export function unsafeLink(from: string, to: string): HttpError {
  const detail = `A link must not turn ${from} into ${to}. Use a form or a script of this site.`
  return new HttpError('unsafe-link', detail)
}

/** For METHOD_OVERRIDE=unsafe-from-post. */
export function overrideNeedsPost(method: string): HttpError {
  const detail = `METHOD_OVERRIDE lets only a POST request become ${method}.`
  return new HttpError('unsafe-link', detail)
}

export function methodNotAllowed(
  method: string,
  path: string,
  { methods, isJson }: { methods: readonly string[]; isJson: boolean },
): HttpError {
  // RFC 9110 §15.5.6: Allow is required on 405.
  const allow = methods.join(', ')
  const detail = `${path} does not support ${method}. Supported methods: ${allow}.`
  return new HttpError('method-not-allowed', detail, { headers: { allow }, isJson })
}

export function notAcceptable(offers: readonly string[]): HttpError {
  return new HttpError('not-acceptable', `Available as ${offers.join(', ')}.`, {
    members: { offers },
  })
}

export function preconditionFailed(etag?: string): HttpError {
  return new HttpError(
    'precondition-failed',
    'The current state does not match the preconditions of the request.',
    { headers: etag === undefined ? {} : { etag } },
  )
}

export function preconditionRequired(): HttpError {
  return new HttpError('precondition-required', 'Send If-Match with the ETag of the current state.')
}

export function rangeNotSatisfiable(size: number): HttpError {
  return new HttpError('range-not-satisfiable', `The range is outside of ${String(size)} bytes.`, {
    headers: { 'content-range': `bytes */${String(size)}` },
  })
}

export function unsupportedMediaType(
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): HttpError {
  return new HttpError('unsupported-media-type', detail, { headers })
}

export function unprocessable(fields: readonly FieldProblem[]): HttpError {
  const detail = fields.map(({ field, message }) => `${field} ${message}`).join('; ')
  return new HttpError('invalid-fields', `${detail}.`, { fields })
}

export function notAnObject(kind: string): HttpError {
  const detail = `The body must be an object with the fields of a ${kind}.`
  return new HttpError('unprocessable-content', detail)
}

export function tooManyRequests(
  unit: string,
  { policy, retryAfterSeconds }: { policy: string; retryAfterSeconds: number },
): HttpError {
  const seconds = String(retryAfterSeconds)
  const detail = `A client may send ${unit} per minute. Try again in ${seconds} s.`
  return new HttpError('too-many-requests', detail, {
    headers: { 'retry-after': seconds },
    // draft-ietf-httpapi-ratelimit-headers-10 §6
    members: { 'violated-policies': [policy] },
  })
}

export function keyReused(): HttpError {
  const detail = 'This Idempotency-Key was used for a different request.'
  return new HttpError('idempotency-key-reused', detail)
}

export function keyInFlight(): HttpError {
  const detail = 'A request with this Idempotency-Key is still being processed.'
  return new HttpError('idempotency-key-in-flight', detail, { headers: { 'retry-after': '1' } })
}

export function requestTimeout(detail: string): HttpError {
  return new HttpError('request-timeout', detail, { headers: { connection: 'close' } })
}

export function serviceUnavailable(detail: string): HttpError {
  return new HttpError('unavailable', detail, { headers: { 'retry-after': '1' } })
}

export function overloaded(): HttpError {
  return serviceUnavailable('The service is overloaded.')
}

export function tooManyPendingBytes(): HttpError {
  return new HttpError('unavailable', 'Too many responses are waiting to be read.', {
    headers: { 'retry-after': '1', connection: 'close' },
  })
}

export function insufficientStorage(): HttpError {
  return new HttpError('insufficient-storage', 'The storage is full. Nothing was stored.')
}
