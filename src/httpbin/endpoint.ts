import type { queryParameters } from '../http/openapi/content.ts'
import type { VisitorResponse } from '../http/response/send-visitor-response.ts'
import type { DialectName, DialectRequest } from './dialect.ts'

type Handler = (
  request: DialectRequest,
  ...parameters: string[]
) => VisitorResponse | Promise<VisitorResponse>

export interface DialectEndpoint {
  /**
   * `/status/:codes=418`, with an example of each parameter. A last segment `*` matches the rest of
   * the path, with slashes.
   */
  path: string
  summary: string
  handler: Handler
  /** In which dialects it exists, and for which methods. `*` is any. */
  methods: Readonly<Partial<Record<DialectName, readonly string[]>>>
  readsBody?: boolean
  description?: string
  /** The documented parameters in the query. */
  query?: Parameters<typeof queryParameters>[0]
  requiresQuery?: boolean
  /** The documented status codes. 200 if unset. */
  statuses?: readonly (number | string)[]
  /** The documented types. JSON if unset; text and HTML are documented too. */
  mediaTypes?: readonly string[]
}

const readsAndWrites = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE']

const forReads = { httpbin: ['GET'], 'go-httpbin': ['*'] }
/** Nearly any method in httpbin, any in go-httpbin. */
export const forAny = { httpbin: readsAndWrites, 'go-httpbin': ['*'] }
export const forOnly = (method: string) => ({ httpbin: [method], 'go-httpbin': [method] })
export const inGoOnly = (...methods: readonly string[]) => ({ 'go-httpbin': methods })
export const inPythonOnly = { httpbin: ['GET'] }

type Rest = readonly [others: Partial<DialectEndpoint>, handler: Handler] | readonly [Handler]

export function toEndpoint(path: string, summary: string, ...rest: Rest): DialectEndpoint {
  const [others, handler] = rest.length === 1 ? [{}, ...rest] : rest
  return { path, summary, handler, methods: forReads, ...others }
}
