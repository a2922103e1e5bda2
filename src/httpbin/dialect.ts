import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import type { HttpError } from '../http/errors/http-error.ts'
import type { VisitorResponse } from '../http/response/send-visitor-response.ts'
import type { Pair } from '../http/security/visitor-response.ts'
import type { JsonStyle } from './json.ts'

export type DialectName = 'httpbin' | 'go-httpbin'

/** A dialect, and where it is served. */
export interface Mount {
  dialect: Dialect
  config: Config
  /** Of every path. Empty at the root. */
  prefix: string
  /** The names of the cookies that are removed from requests and that a response cannot set. */
  ownCookies: readonly string[]
}

/** A request as it was sent, but without the cookies of the service. */
export interface DialectRequest extends Mount {
  fastify: FastifyRequest
  /** For `wait`: the client may go before the response. */
  reply: FastifyReply
  method: string
  /** In origin form, with the prefix. */
  target: string
  /** Of the target, without the query. */
  path: string
  query: readonly Pair[]
  headers: readonly Pair[]
  /** Empty unless the endpoint reads it. */
  body: Buffer
}

/** The members of a body in the JSON of a request. `data` is the text or a `data:` URL. */
export type ParsedBody = Record<'data' | 'files' | 'form' | 'json', unknown>

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
  /** `args` and `form`. */
  toValues: (pairs: readonly Pair[]) => Map<string, unknown>
  toHeaders: (request: DialectRequest) => Map<string, unknown>
  toOrigin: (request: DialectRequest) => string
  toUrl: (request: DialectRequest) => string
  /** Throws 400 or 413. */
  parseBody: (request: DialectRequest) => ParsedBody
  /** Throws 400 or 404. `what` is the name in the message, and `parser` in that of go-httpbin. */
  parseInteger: (text: string, what: string, parser?: 'Atoi' | 'ParseInt') => number
  /** The messages of 404 and 405. */
  missing: string
  wrongMethod: string
  renderError: (error: HttpError) => VisitorResponse
  /** The value of Allow. Includes the methods that a path has without its own. */
  toAllow: (methods: readonly string[]) => string
  preflightMethods: string
  toReason: (status: number) => string
}
