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

type ErrorHeaders = Readonly<Record<string, string>>

type ErrorParts = Partial<
  Pick<HttpError, 'headers' | 'fields' | 'isJson' | 'members' | 'links' | 'back' | 'cause'>
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
  /** URLs and texts of the pages that the message is about. */
  readonly links: readonly (readonly [url: string, text: string])[] = []
  readonly back: readonly [string, string] | undefined

  constructor(kind: ProblemSlug | number, detail: string, { cause, ...options }: ErrorParts = {}) {
    super(detail, { cause })
    this.problem = typeof kind === 'number' ? findProblemSlug(kind) : kind
    const type = this.problem && problemTypes[this.problem]
    this.status = type?.status ?? Number(kind)
    this.title = type?.title ?? STATUS_CODES[this.status] ?? 'Error'
    Object.assign(this, options)
    const fixed = Object.entries(type?.headers ?? {}).filter(([, value]) => value !== '')
    // An error of another origin, such as a requested one, has the headers that it is given.
    if (typeof kind === 'string') this.headers = { ...Object.fromEntries(fixed), ...this.headers }
  }
}

const toErrorFactory = (kind: ProblemSlug, headers: ErrorHeaders = {}) => {
  return (detail: string, cause?: unknown) => new HttpError(kind, detail, { headers, cause })
}

export const badFraming = toErrorFactory('bad-request', { connection: 'close' })
export const badRequest = toErrorFactory('bad-request')
export const conflict = toErrorFactory('conflict')
export const contentTooLarge = toErrorFactory('content-too-large')
export const invalidPatch = toErrorFactory('invalid-patch')
export const notFound = (detail: string, back?: HttpError['back']) =>
  new HttpError('not-found', detail, { back })
export const notImplemented = toErrorFactory('not-implemented')
export const requestTimeout = toErrorFactory('request-timeout')
export const serviceUnavailable = toErrorFactory('unavailable')
export const unauthorized = toErrorFactory('unauthorized')
export const unknownParameter = toErrorFactory('unknown-parameter')

export const keyInFlight = () =>
  new HttpError(
    'idempotency-key-in-flight',
    'A request with this Idempotency-Key is still being processed.',
  )
export const keyReused = () =>
  new HttpError('idempotency-key-reused', 'This Idempotency-Key was used for a different request.')
export const readOnly = (detail = 'This service is read-only (READ_ONLY). Nothing was changed.') =>
  new HttpError('read-only', detail)

interface MissingMethod {
  methods: readonly string[]
  isJson: boolean
  /** What `_method` names. */
  unknown?: string | undefined
}

export function methodNotAllowed(
  method: string,
  path: string,
  { methods, isJson, unknown }: MissingMethod,
): HttpError {
  const allow = methods.join(', ')
  const hint = !unknown ? '' : ` "${unknown.slice(0, 50)}" is not a method that _method can name.`
  const detail = `${path} does not support ${method}. Supported methods: ${allow}.${hint}`
  return new HttpError('method-not-allowed', detail, { headers: { allow }, isJson })
}

export const unsupportedMediaType = (detail: string, headers: ErrorHeaders = {}) =>
  new HttpError('unsupported-media-type', detail, { headers })

export function unprocessable(fields: readonly FieldProblem[]): HttpError {
  const detail = fields.map((problem) => explainProblem(problem)).join('; ')
  return new HttpError('invalid-fields', `${detail}.`, { fields })
}

export const notAnObject = (kind: string) =>
  new HttpError('unprocessable-content', `The body must be an object with the fields of ${kind}.`)
