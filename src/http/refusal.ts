import { STATUS_CODES } from 'node:http'

/** One thing wrong with one field of a request's content. */
export interface FieldProblem {
  field: string
  /** Completes "name …": `is required`. */
  message: string
}

interface RefusalOptions {
  headers?: Readonly<Record<string, string>>
  fields?: readonly FieldProblem[]
  isJson?: boolean
  cause?: unknown
}

/**
 * An answer that is not the one asked for: a status and one sentence for a person. Thrown by routes
 * and by `http/`, made by the functions below, rendered in one place (`send-refusal.ts`).
 */
export class Refusal extends Error {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly fields: readonly FieldProblem[]
  /** Whether JSON is the default, where no route was found that would say so. */
  readonly isJson: boolean | undefined

  constructor(status: number, detail: string, options: RefusalOptions = {}) {
    super(detail, { cause: options.cause })
    this.status = status
    this.headers = options.headers ?? {}
    this.fields = options.fields ?? []
    this.isJson = options.isJson
  }

  /** The reason phrase of RFC 9110 §15: `Not Found`. */
  get title(): string {
    return toReasonPhrase(this.status) ?? 'Error'
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

export function badRequest(detail: string, cause?: unknown): Refusal {
  return new Refusal(400, detail, { cause })
}

export function unauthorized(detail: string): Refusal {
  // RFC 9110 §15.5.2 requires a challenge; a scheme that no browser knows opens no dialog.
  return new Refusal(401, detail, { headers: { 'www-authenticate': 'Cookie realm="Vitrine"' } })
}

export function forbidden(detail: string): Refusal {
  return new Refusal(403, detail)
}

export function notFound(detail: string): Refusal {
  return new Refusal(404, detail)
}

export function methodNotAllowed(
  method: string,
  path: string,
  { methods, isJson }: { methods: readonly string[]; isJson: boolean },
): Refusal {
  // RFC 9110 §15.5.6: a 405 must say in Allow what there is instead.
  const allow = methods.join(', ')
  return new Refusal(405, `${path} has no ${method}. It has ${allow}.`, {
    headers: { allow },
    isJson,
  })
}

export function notAcceptable(offers: readonly string[]): Refusal {
  return new Refusal(406, `This comes as ${offers.join(', ')} and as nothing else.`)
}

export function preconditionFailed(): Refusal {
  return new Refusal(412, 'This is not in the state that the request expects.')
}

export function rangeNotSatisfiable(size: number): Refusal {
  // RFC 9110 §15.5.17: the field says how many bytes there are.
  return new Refusal(416, `There are ${String(size)} bytes and none in that range.`, {
    headers: { 'content-range': `bytes */${String(size)}` },
  })
}

export function contentTooLarge(detail: string): Refusal {
  return new Refusal(413, detail)
}

export function uriTooLong(maxBytes: number): Refusal {
  return new Refusal(414, `The address is longer than ${String(maxBytes)} bytes.`)
}

export function unsupportedMediaType(
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): Refusal {
  return new Refusal(415, detail, { headers })
}

export function unprocessable(fields: readonly FieldProblem[]): Refusal {
  const detail = fields.map(({ field, message }) => `${field} ${message}`).join('; ')
  return new Refusal(422, `${detail}.`, { fields })
}

export function headersTooLarge(maxBytes: number): Refusal {
  return new Refusal(431, `The headers are over ${String(maxBytes)} bytes.`)
}

export function versionNotSupported(version: string): Refusal {
  return new Refusal(505, `HTTP/${version} is not spoken here in this way.`)
}

export function unknownCoding(coding: string): Refusal {
  return new Refusal(501, `This server does not know the transfer coding ${coding}.`)
}

export function notAnObject(what: string): Refusal {
  return new Refusal(422, `The content must be an object with the fields of a ${what}.`)
}

export function conflict(detail: string): Refusal {
  return new Refusal(409, detail)
}

export function requestTimeout(detail: string): Refusal {
  return new Refusal(408, detail, { headers: { connection: 'close' } })
}

export function serviceUnavailable(detail: string): Refusal {
  return new Refusal(503, detail, { headers: { 'retry-after': '1' } })
}

export function insufficientStorage(): Refusal {
  return new Refusal(507, 'There is no room left to keep this. Nothing was kept.')
}

export function notImplemented(method: string): Refusal {
  return new Refusal(501, `This server does not know the method ${method}.`)
}
