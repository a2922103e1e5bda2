import { toHostname } from '../security/allowed-hosts.ts'
import { STATUS_CODES } from '../node-http.ts'
import { findProblemSlug, problemTypes, type ProblemSlug } from './problem-types.ts'

export interface FieldProblem {
  field: string
  /** Completes "name …": `is required`. */
  message: string
}

type Headers = Readonly<Record<string, string>>

type Options = Partial<Pick<HttpError, 'headers' | 'fields' | 'isJson' | 'members' | 'cause'>>

/** An error response: a kind of problem, or a status, and one sentence for a person. */
export class HttpError extends Error {
  readonly status: number
  /** Undefined for a status without a kind of problem, which a plugin may use. */
  readonly problem: ProblemSlug | undefined
  readonly title: string
  readonly headers: Headers = {}
  readonly fields: readonly FieldProblem[] = []
  /** Whether JSON is the default, where no route determines it. */
  readonly isJson: boolean | undefined
  /** Further members of the problem details. */
  readonly members: Readonly<Record<string, unknown>> = {}

  constructor(kind: ProblemSlug | number, detail: string, { cause, ...options }: Options = {}) {
    super(detail, { cause })
    this.problem = typeof kind === 'number' ? findProblemSlug(kind) : kind
    const type = this.problem && problemTypes[this.problem]
    this.status = type?.status ?? Number(kind)
    this.title = type?.title ?? toReasonPhrase(this.status) ?? 'Error'
    Object.assign(this, options)
  }
}

const renamed: Readonly<Record<number, string>> = {
  413: 'Content Too Large',
  422: 'Unprocessable Content',
}

export function toReasonPhrase(status: number): string | undefined {
  return renamed[status] ?? STATUS_CODES[status]
}

const toFactory =
  (kind: ProblemSlug, headers: Headers = {}) =>
  (detail: string, cause?: unknown) =>
    new HttpError(kind, detail, { headers, cause })

const close = { connection: 'close' }
const retry = { 'retry-after': '1' }

export const badRequest = toFactory('bad-request')
export const conflict = toFactory('conflict')
export const contentTooLarge = toFactory('content-too-large')
export const digestMismatch = toFactory('digest-mismatch')
/** Without a body after a 417, the next request would be read in its place. */
export const expectationFailed = toFactory('expectation-failed', close)
export const headersTooLarge = toFactory('headers-too-large')
export const invalidPatch = toFactory('invalid-patch')
export const notFound = toFactory('not-found')
export const notImplemented = toFactory('not-implemented')
export const patchTestFailed = toFactory('patch-test-failed')
export const requestTimeout = toFactory('request-timeout', close)
export const serviceUnavailable = toFactory('unavailable', retry)
/** RFC 9110 §15.5.2 requires a challenge; a scheme unknown to browsers opens no dialog. */
export const unauthorized = toFactory('unauthorized', {
  'www-authenticate': 'Cookie realm="Vitrine"',
})
export const unknownParameter = toFactory('unknown-parameter')
export const uriTooLong = toFactory('uri-too-long')
export const versionNotSupported = toFactory('version-not-supported')
const misdirected = toFactory('misdirected-request')
const linkBlocked = toFactory('unsafe-link')

const toConstant =
  (kind: ProblemSlug, detail: string, headers: Headers = {}) =>
  () =>
    new HttpError(kind, detail, { headers })

export const chunksTooSmall = toConstant(
  'bad-request',
  'The body arrives in too many small chunks.',
  close,
)
export const insufficientStorage = toConstant(
  'insufficient-storage',
  'The storage is full. Nothing was stored.',
)
export const keyInFlight = toConstant(
  'idempotency-key-in-flight',
  'A request with this Idempotency-Key is still being processed.',
  retry,
)
export const keyReused = toConstant(
  'idempotency-key-reused',
  'This Idempotency-Key was used for a different request.',
)
export const misdirectedScheme = toConstant(
  'misdirected-request',
  'An https: URL cannot be requested over plain HTTP.',
)
export const overloaded = toConstant('unavailable', 'The service is overloaded.', retry)
export const preconditionRequired = toConstant(
  'precondition-required',
  'Send If-Match with the ETag of the current state.',
)
export const tooManyPendingBytes = toConstant(
  'unavailable',
  'Too many responses are waiting to be read.',
  { ...retry, ...close },
)

export function misdirectedHost(host: string): HttpError {
  if (host === '') return misdirected('The request has no Host header.')
  return misdirected(
    `The host ${toHostname(host) ?? host} is not served here. Add it to ALLOWED_HOSTS to allow it.`,
  )
}

export function crossSiteWrite(origin = ''): HttpError {
  const named = URL.parse(origin)?.origin === origin ? origin : 'the origin of the page'
  const remedy =
    origin === 'null'
      ? 'The origin null, of a sandboxed page or a file, cannot be allowed.'
      : `Add ${named} to CORS_ORIGINS to allow it.`
  return new HttpError('cross-site-write', `Cross-site writes are blocked. ${remedy}`)
}

export function unsafeLink(from: string, to: string): HttpError {
  return linkBlocked(
    `A link must not turn ${from} into ${to}. Use a form or a script of this site.`,
  )
}

/** For METHOD_OVERRIDE=unsafe-from-post. */
export function overrideNeedsPost(method: string): HttpError {
  return linkBlocked(`METHOD_OVERRIDE lets only a POST request become ${method}.`)
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
  const detail = `Available as ${offers.join(', ')}.`
  return new HttpError('not-acceptable', detail, { members: { offers } })
}

export function preconditionFailed(etag?: string): HttpError {
  const detail = 'The current state does not match the preconditions of the request.'
  return new HttpError('precondition-failed', detail, { headers: etag ? { etag } : {} })
}

export function rangeNotSatisfiable(size: number): HttpError {
  const headers = { 'content-range': `bytes */${String(size)}` }
  const detail = `The range is outside of ${String(size)} bytes.`
  return new HttpError('range-not-satisfiable', detail, { headers })
}

export function unsupportedMediaType(detail: string, headers: Headers = {}): HttpError {
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
  // draft-ietf-httpapi-ratelimit-headers-10 §6
  const members = { 'violated-policies': [policy] }
  return new HttpError('too-many-requests', detail, {
    headers: { 'retry-after': seconds },
    members,
  })
}
