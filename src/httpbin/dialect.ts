import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import type { HttpError } from '../http/errors/http-error.ts'
import type { Parameter } from '../http/openapi/operation.ts'
import type { VisitorResponse } from '../http/response/send-visitor-response.ts'
import type { Pair } from '../http/security/visitor-response.ts'
import type { JsonStyle } from './json.ts'

export type DialectName = 'httpbin' | 'go-httpbin'

/** A request as it was sent, but without the cookies of the service. */
export interface BinRequest {
  fastify: FastifyRequest
  /** For `wait`: the client may go before the response. */
  reply: FastifyReply
  config: Config
  /** Of every path here. Empty at the root. */
  prefix: string
  method: string
  /** In origin form, with the prefix. */
  target: string
  /** Of the target, without the query. */
  path: string
  /** Of the path, decoded. */
  parameters: readonly string[]
  query: readonly Pair[]
  headers: readonly Pair[]
  /** Empty unless the endpoint reads it. */
  body: Buffer
}

export interface BinResponse extends VisitorResponse {
  /** In place of a response: uses the connection for another protocol. */
  takeOver?: () => void
}

/** The members of a body in a JSON description. `data` is the text or a `data:` URL. */
export interface ParsedBody {
  data: string
  files: unknown
  form: unknown
  json: unknown
}

/** What differs between httpbin and go-httpbin. */
export interface Dialect {
  name: DialectName
  /** Otherwise the service is written in Go. */
  isPython: boolean
  /** The name of the other implementation, with the version that was compared. */
  title: string
  jsonType: string
  textType: string
  jsonStyle: JsonStyle
  /** The decoded segments of a path without its first `/`. */
  splitPath: (path: string) => readonly string[]
  parseQuery: (text: string) => readonly Pair[]
  /** Whether a description of any request has its method. */
  alwaysHasMethod: boolean
  /** `args` and `form`. */
  toValues: (pairs: readonly Pair[]) => Map<string, unknown>
  toHeaders: (request: BinRequest) => Map<string, unknown>
  toOrigin: (request: BinRequest) => string
  toUrl: (request: BinRequest) => string
  /** Throws 400. */
  parseBody: (request: BinRequest) => ParsedBody
  /** Throws 400 or 404. `what` is the name in the message, and `parser` in that of go-httpbin. */
  parseInteger: (text: string, what: string, parser?: 'Atoi' | 'ParseInt') => number
  /** The messages of 404 and 405. */
  missing: string
  wrongMethod: string
  renderError: (error: HttpError) => BinResponse
  /** The value of Allow. Includes the methods that a path has without its own. */
  toAllow: (methods: readonly string[]) => string
  preflightMethods: string
  /** Whether the names of headers are sent as an endpoint has them. Otherwise they are canonical. */
  keepsNames: boolean
  /** The reason phrase of a status code. */
  toReason: (status: number) => string
  /** Whether OPTIONS gets 200 for a path without a route, and lacks Allow. */
  hasOptionsEverywhere: boolean
  optionsType?: string
}

type Methods = readonly string[] | undefined

/** Empty in a dialect without the endpoint. */
export function findMethods(
  { methods = forReads }: Endpoint,
  { name }: Dialect,
): readonly string[] {
  return methods[name] ?? []
}

export interface Endpoint {
  /** `/status/:code`. A last segment `*` matches the rest of the path, with slashes. */
  path: string
  /** In which dialects it exists, and for which methods. `*` is any. `forReads` if unset. */
  methods?: Readonly<Record<DialectName, Methods>>
  summary: string
  description?: string
  file?: string
  /** In the documentation. Those of the path need not be listed. */
  parameters?: readonly Parameter[]
  /** An example of each parameter in the path. */
  samples?: Readonly<Record<string, string>>
  /** The documented status codes. 200 if unset. */
  statuses?: readonly (number | string)[]
  /** The documented types. JSON if unset; text and HTML are documented too. */
  mediaTypes?: readonly string[]
  readsBody?: boolean
  handler: (request: BinRequest, dialect: Dialect) => BinResponse | Promise<BinResponse>
}

export const allMethods = ['*']
const readsAndWrites = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE']

/** GET in httpbin, any method in go-httpbin. */
export const forReads = { httpbin: ['GET'], 'go-httpbin': allMethods }
/** Nearly any method in httpbin, any in go-httpbin. */
export const forAny = { httpbin: readsAndWrites, 'go-httpbin': allMethods }
export const forOnly = (method: string) => ({ httpbin: [method], 'go-httpbin': [method] })
export const inGoOnly = (...methods: readonly string[]) => ({
  httpbin: undefined,
  'go-httpbin': methods,
})
export const inPythonOnly = { httpbin: ['GET'], 'go-httpbin': undefined }
