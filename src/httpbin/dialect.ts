import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import type { HttpError } from '../http/errors/http-error.ts'
import type { VisitorResponse } from '../http/response/send-visitor-response.ts'
import type { Pair } from '../http/security/visitor-response.ts'
import type { JsonStyle } from './json.ts'

export type DialectName = 'httpbin' | 'go-httpbin'

export interface Mount {
  dialect: Dialect
  config: Config
  /** The start of the paths of the dialect; empty at the root. */
  prefix: string
  /** These cookies are removed from requests, and a response cannot set them. */
  ownCookies: readonly string[]
}

/** A request as it was sent, but without the cookies of the service. */
export interface DialectRequest extends Mount {
  fastify: FastifyRequest
  /** `wait` needs it, as the client may go before the response. */
  reply: FastifyReply
  method: string
  target: string
  path: string
  query: readonly Pair[]
  headers: readonly Pair[]
  body: Buffer
}

export type ParsedBody = Record<'data' | 'files' | 'form' | 'json', unknown>

export interface Dialect {
  name: DialectName
  isPython: boolean
  title: string
  jsonType: string
  textType: string
  jsonStyle: JsonStyle
  /** The path has no first `/`, and the segments are decoded. */
  splitPath: (path: string) => readonly string[]
  parseQuery: (text: string) => readonly Pair[]
  toValues: (pairs: readonly Pair[]) => Map<string, unknown>
  toHeaders: (request: DialectRequest) => Map<string, unknown>
  toOrigin: (request: DialectRequest) => string
  toUrl: (request: DialectRequest) => string
  parseBody: (request: DialectRequest) => ParsedBody
  /** Throws 400 or 404. `what` is the name in the message, and `parser` in that of go-httpbin. */
  parseInteger: (text: string, what: string, parser?: 'Atoi' | 'ParseInt') => number
  missing: string
  wrongMethod: string
  renderError: (error: HttpError) => VisitorResponse
  toAllow: (methods: readonly string[]) => string
  preflightMethods: string
  toReason: (status: number) => string
}
