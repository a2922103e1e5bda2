import { toHostname } from '../security/allowed-hosts.ts'
import { STATUS_CODES } from '../node-http.ts'
import { problemTypes, toProblemSlug, type ProblemSlug } from './problem-types.ts'

/** One thing wrong with one field of a request's content. */
export interface FieldProblem {
  field: string
  /** Completes "name …": `is required`. */
  message: string
}

interface HttpErrorOptions {
  headers?: Readonly<Record<string, string>>
  fields?: readonly FieldProblem[]
  isJson?: boolean
  /** The kind of problem, where it is a more special one than that of the status. */
  problem?: ProblemSlug
  /** More members of the problem details (RFC 9457 §3.2). */
  members?: Readonly<Record<string, unknown>>
  cause?: unknown
}

/**
 * An answer that is not the one asked for: a status and one sentence for a person. Thrown by routes
 * and by `http/`, made by the functions below, rendered in one place (`send-refusal.ts`).
 */
export class HttpError extends Error {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly fields: readonly FieldProblem[]
  /** Whether JSON is the default, where no route was found that would say so. */
  readonly isJson: boolean | undefined
  /** Undefined for a status that is no kind of problem here; a plugin may bring any. */
  readonly problem: ProblemSlug | undefined
  readonly members: Readonly<Record<string, unknown>>

  constructor(status: number, detail: string, options: HttpErrorOptions = {}) {
    super(detail, { cause: options.cause })
    this.status = status
    this.headers = options.headers ?? {}
    this.fields = options.fields ?? []
    this.isJson = options.isJson
    this.problem = options.problem ?? toProblemSlug(status)
    this.members = options.members ?? {}
  }

  /** What the kind of problem is called: `Not Found`. */
  get title(): string {
    return this.problem
      ? problemTypes[this.problem].title
      : (toReasonPhrase(this.status) ?? 'Error')
  }
}

// Node still says what RFC 9110 has renamed.
const renamed: Readonly<Record<number, string>> = {
  413: 'Content Too Large',
  422: 'Unprocessable Content',
}

/** As RFC 9110 §15 and its companions call the status; undefined for one that none of them knows. */
export function toReasonPhrase(status: number): string | undefined {
  return renamed[status] ?? STATUS_CODES[status]
}

export function badRequest(detail: string, cause?: unknown): HttpError {
  return new HttpError(400, detail, { cause })
}

export function chunksTooSmall(): HttpError {
  const headers = { connection: 'close' }
  return new HttpError(400, 'The body arrives in too many small chunks.', { headers })
}

export function unknownParameter(detail: string): HttpError {
  return new HttpError(400, detail, { problem: 'unknown-parameter' })
}

export function invalidPatch(detail: string): HttpError {
  return new HttpError(400, detail, { problem: 'invalid-patch' })
}

export function digestMismatch(detail: string): HttpError {
  return new HttpError(400, detail, { problem: 'digest-mismatch' })
}

export function unauthorized(detail: string): HttpError {
  // RFC 9110 §15.5.2 requires a challenge; a scheme that no browser knows opens no dialog.
  return new HttpError(401, detail, { headers: { 'www-authenticate': 'Cookie realm="Vitrine"' } })
}

/** RFC 9110 §15.5.20. `what` is the host, or the scheme, that is not served here. */
export function misdirected(what: string): HttpError {
  const detail = what.endsWith(':')
    ? `A ${what} URL cannot be requested over plain HTTP.`
    : `The host ${toHostname(what) ?? what} is not served here. Add it to ALLOWED_HOSTS to allow it.`
  return new HttpError(421, detail)
}

/** `origin` as the request has it, which may be none that a setting could name. */
export function crossSiteWrite(origin = ''): HttpError {
  const named = URL.parse(origin)?.origin === origin ? origin : 'the origin of the page'
  const detail = `Cross-site writes are blocked. Add ${named} to CORS_ORIGINS to allow it.`
  return new HttpError(403, detail, { problem: 'cross-site-write' })
}

export function unsafeLink(from: string, to: string): HttpError {
  const detail = `A link may not turn ${from} into ${to}: send a form or a request of this site.`
  return new HttpError(403, detail, { problem: 'unsafe-link' })
}

export function notFound(detail: string): HttpError {
  return new HttpError(404, detail)
}

export function methodNotAllowed(
  method: string,
  path: string,
  { methods, isJson }: { methods: readonly string[]; isJson: boolean },
): HttpError {
  // RFC 9110 §15.5.6: a 405 must say in Allow what there is instead.
  const allow = methods.join(', ')
  return new HttpError(405, `${path} has no ${method}. It has ${allow}.`, {
    headers: { allow },
    isJson,
  })
}

export function notAcceptable(offers: readonly string[]): HttpError {
  // RFC 9110 §15.5.7: the content should list what there is.
  const detail = `This comes as ${offers.join(', ')} and as nothing else.`
  return new HttpError(406, detail, { members: { offers } })
}

/** `etag` is that of the current state, where there is one to tell. */
export function preconditionFailed(etag?: string): HttpError {
  return new HttpError(412, 'This is not in the state that the request expects.', {
    headers: etag === undefined ? {} : { etag },
  })
}

export function preconditionRequired(): HttpError {
  return new HttpError(428, 'A change needs If-Match, with the ETag of the state it is for.')
}

export function rangeNotSatisfiable(size: number): HttpError {
  // RFC 9110 §15.5.17: the field says how many bytes there are.
  return new HttpError(416, `There are ${String(size)} bytes and none in that range.`, {
    headers: { 'content-range': `bytes */${String(size)}` },
  })
}

export function contentTooLarge(detail: string): HttpError {
  return new HttpError(413, detail)
}

export function uriTooLong(maxBytes: number): HttpError {
  return new HttpError(414, `The address is longer than ${String(maxBytes)} bytes.`)
}

export function unsupportedMediaType(
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): HttpError {
  return new HttpError(415, detail, { headers })
}

export function unprocessable(fields: readonly FieldProblem[]): HttpError {
  const detail = fields.map(({ field, message }) => `${field} ${message}`).join('; ')
  return new HttpError(422, `${detail}.`, { fields, problem: 'invalid-fields' })
}

export function expectationFailed(): HttpError {
  return new HttpError(417, 'Nothing but 100-continue can be expected.')
}

/** `what` there may be a number of in a minute; `policy` is the name of the one that was exceeded. */
export function tooManyRequests(
  what: string,
  { policy, retryAfterSeconds }: { policy: string; retryAfterSeconds: number },
): HttpError {
  const seconds = String(retryAfterSeconds)
  return new HttpError(429, `One client may send ${what} in a minute. Try again in ${seconds} s.`, {
    headers: { 'retry-after': seconds },
    // As draft-ietf-httpapi-ratelimit-headers-10 §6 names it.
    members: { 'violated-policies': [policy] },
  })
}

export function headersTooLarge(maxBytes: number): HttpError {
  return new HttpError(431, `The headers are over ${String(maxBytes)} bytes.`)
}

export function versionNotSupported(version: string): HttpError {
  return new HttpError(505, `HTTP/${version} is not spoken here in this way.`)
}

export function unknownCoding(coding: string): HttpError {
  return new HttpError(501, `This server does not know the transfer coding ${coding}.`)
}

export function notAnObject(what: string): HttpError {
  return new HttpError(422, `The content must be an object with the fields of a ${what}.`)
}

export function conflict(detail: string): HttpError {
  return new HttpError(409, detail)
}

export function patchTestFailed(detail: string): HttpError {
  return new HttpError(409, detail, { problem: 'patch-test-failed' })
}

export function keyReused(): HttpError {
  return new HttpError(422, 'This Idempotency-Key came before with another request.', {
    problem: 'idempotency-key-reused',
  })
}

export function keyInFlight(): HttpError {
  return new HttpError(
    409,
    'The request that brought this Idempotency-Key is still being handled.',
    {
      problem: 'idempotency-key-in-flight',
      headers: { 'retry-after': '1' },
    },
  )
}

export function requestTimeout(detail: string): HttpError {
  return new HttpError(408, detail, { headers: { connection: 'close' } })
}

export function serviceUnavailable(detail: string): HttpError {
  return new HttpError(503, detail, { headers: { 'retry-after': '1' } })
}

export function overloaded(): HttpError {
  return serviceUnavailable('There is more to do here just now than can be done in time.')
}

export function insufficientStorage(): HttpError {
  return new HttpError(507, 'There is no room left to keep this. Nothing was kept.')
}

export function notImplemented(method: string): HttpError {
  return new HttpError(501, `This server does not know the method ${method}.`)
}
