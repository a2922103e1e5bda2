import { toHostname } from '../../config/hosts.ts'
import { STATUS_CODES } from '../node-http.ts'
import { findProblemSlug, problemTypes, type ProblemSlug } from './problem-types.ts'

export interface FieldProblem {
  field: string
  inside?: readonly string[]
  /** Completes "name …": `is required`. */
  message: string
}

/** Returns for example `lines[0].quantity must be a whole number`. A problem without a field is one of the record. */
export function explainProblem(
  { field, inside = [], message }: FieldProblem,
  label = field || 'the record',
): string {
  const path = inside.map((name) => (/^\d+$/.test(name) ? `[${name}]` : `.${name}`))
  return `${label}${path.join('')} ${message}`
}

type ErrorHeaders<Value = string> = Readonly<Record<string, Value>>

type ErrorParts = Partial<
  Pick<HttpError, 'headers' | 'fields' | 'isJson' | 'members' | 'back' | 'cause'>
>

export class HttpError extends Error {
  readonly status: number
  readonly problem: ProblemSlug | undefined
  readonly title: string
  readonly headers: ErrorHeaders = {}
  readonly fields: readonly FieldProblem[] = []
  /** Whether the error of a request that matched no route is JSON by default. */
  readonly isJson: boolean | undefined
  readonly members: Readonly<Record<string, unknown>> = {}
  readonly back: readonly [string, string] | undefined

  constructor(kind: ProblemSlug | number, detail: string, { cause, ...options }: ErrorParts = {}) {
    super(detail, { cause })
    this.problem = typeof kind === 'number' ? findProblemSlug(kind) : kind
    const type = this.problem && problemTypes[this.problem]
    this.status = type?.status ?? Number(kind)
    this.title = type?.title ?? STATUS_CODES[this.status] ?? 'Error'
    Object.assign(this, options)
    // An error of another origin, such as a requested one, has the headers that it is given.
    if (typeof kind === 'string') this.headers = { ...findFixed(type?.headers), ...this.headers }
  }
}

function findFixed(headers: ErrorHeaders<string | undefined> = {}): ErrorHeaders {
  const entries = Object.entries(headers)
  return Object.fromEntries(entries.flatMap(([name, value]) => (value ? [[name, value]] : [])))
}

const toErrorFactory =
  (kind: ProblemSlug, headers: ErrorHeaders = {}) =>
  (detail: string, cause?: unknown) =>
    new HttpError(kind, detail, { headers, cause })

const closeConnection = { connection: 'close' }

export const badFraming = toErrorFactory('bad-request', closeConnection)
export const badRequest = toErrorFactory('bad-request')
export const conflict = toErrorFactory('conflict')
export const contentTooLarge = toErrorFactory('content-too-large')
export const digestMismatch = toErrorFactory('digest-mismatch')
export const expectationFailed = toErrorFactory('expectation-failed')
export const invalidPatch = toErrorFactory('invalid-patch')
export const notFound = (detail: string, back?: HttpError['back']) =>
  new HttpError('not-found', detail, { back })
export const notImplemented = toErrorFactory('not-implemented')
export const patchTestFailed = toErrorFactory('patch-test-failed')
export const requestTimeout = toErrorFactory('request-timeout')
export const serviceUnavailable = toErrorFactory('unavailable')
export const unauthorized = toErrorFactory('unauthorized')
export const unknownParameter = toErrorFactory('unknown-parameter')

export const insufficientStorage = (detail = 'The storage is full. Nothing was stored.') =>
  new HttpError('insufficient-storage', detail)
export const keyInFlight = () =>
  new HttpError(
    'idempotency-key-in-flight',
    'A request with this Idempotency-Key is still being processed.',
  )
export const keyReused = () =>
  new HttpError('idempotency-key-reused', 'This Idempotency-Key was used for a different request.')
export const preconditionRequired = () =>
  new HttpError('precondition-required', 'Send If-Match with the ETag of the current state.')
const toPending = toErrorFactory('unavailable', closeConnection)
export const tooManyPendingBytes = () => toPending('Too many responses are waiting to be read.')

const misdirected = toErrorFactory('misdirected-request')
export function misdirectedHost(host: string): HttpError {
  if (host === '') return misdirected('The request has no Host header.')
  const named = toHostname(host) ?? host
  return misdirected(`The host ${named} is not served here. Add it to ALLOWED_HOSTS to allow it.`)
}

export function crossSiteWrite(origin = ''): HttpError {
  const named = URL.parse(origin)?.origin === origin ? origin : 'the origin of the page'
  const remedy =
    origin === 'null'
      ? 'The origin null, of a sandboxed page or a file, cannot be allowed.'
      : `Add ${named} to CORS_ORIGINS to allow it. Setting CORS_ORIGINS replaces the default origins.`
  return new HttpError('cross-site-write', `Cross-site writes are blocked. ${remedy}`)
}

export const readOnly = () =>
  new HttpError('read-only', 'This service is read-only (READ_ONLY). Nothing was changed.')

const linkBlocked = toErrorFactory('unsafe-link')
export const unsafeLink = (from: string, to: string) =>
  linkBlocked(`A link must not turn ${from} into ${to}. Use a form or a script of this site.`)

export const overrideNeedsPost = (method: string) =>
  linkBlocked(
    `Only POST can be overridden to ${method} here (METHOD_OVERRIDE). Send ${method}, or POST with _method=${method}.`,
  )

export function methodNotAllowed(
  method: string,
  path: string,
  { methods, isJson }: { methods: readonly string[]; isJson: boolean },
  unknown = '',
): HttpError {
  const allow = methods.join(', ')
  const hint = !unknown ? '' : ` "${unknown.slice(0, 50)}" is not a method that _method can name.`
  const detail = `${path} does not support ${method}. Supported methods: ${allow}.${hint}`
  return new HttpError('method-not-allowed', detail, { headers: { allow }, isJson })
}

export function notAcceptable(offers: readonly string[]): HttpError {
  const detail = `Accept excludes all available media types: ${offers.join(', ')}.`
  return new HttpError('not-acceptable', detail, { members: { offers } })
}

export function rangeNotSatisfiable(size: number): HttpError {
  const headers = { 'content-range': `bytes */${String(size)}` }
  const detail = `The range starts after the end of the file (${size.toLocaleString('en')} bytes).`
  return new HttpError('range-not-satisfiable', detail, { headers })
}

export const unsupportedMediaType = (detail: string, headers: ErrorHeaders = {}) =>
  new HttpError('unsupported-media-type', detail, { headers })

export function unprocessable(fields: readonly FieldProblem[]): HttpError {
  const detail = fields.map((problem) => explainProblem(problem)).join('; ')
  return new HttpError('invalid-fields', `${detail}.`, { fields })
}

export const notAnObject = (kind: string) =>
  new HttpError('unprocessable-content', `The body must be an object with the fields of ${kind}.`)

export function tooManyRequests(limit: string, policy: string, restSeconds: number): HttpError {
  const detail = `A client may send ${limit} per minute. Try again in ${String(restSeconds)} s.`
  const headers = { 'retry-after': String(restSeconds) }
  const members = { 'violated-policies': [policy] }
  return new HttpError('too-many-requests', detail, { headers, members })
}

export function tooManyInProgress(max = 0): HttpError {
  const detail = `A client may have ${max.toLocaleString('en')} requests in progress (MAX_CONNECTIONS_PER_CLIENT).`
  return new HttpError('too-many-requests', detail)
}
