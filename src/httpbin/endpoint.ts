import type { Parameter } from '../http/openapi/operation.ts'
import type { VisitorResponse } from '../http/response/send-visitor-response.ts'
import type { DialectName, DialectRequest } from './dialect.ts'

export interface DialectEndpoint {
  /**
   * `/status/:codes=418`, with an example of each parameter. A last segment `*` matches the rest of
   * the path, with slashes.
   */
  path: string
  summary: string
  handler: (
    request: DialectRequest,
    ...parameters: string[]
  ) => VisitorResponse | Promise<VisitorResponse>
  /** In which dialects it exists, and for which methods. `*` is any. */
  methods: Readonly<Partial<Record<DialectName, readonly string[]>>>
  readsBody?: boolean
  description?: string
  /** In the documentation, without those of the path. */
  parameters?: readonly Parameter[]
  /** The documented status codes. 200 if unset. */
  statuses?: readonly (number | string)[]
  /** The documented types. JSON if unset; text and HTML are documented too. */
  mediaTypes?: readonly string[]
}

const readsAndWrites = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE']

/** GET in httpbin, any method in go-httpbin. */
const forReads = { httpbin: ['GET'], 'go-httpbin': ['*'] }
/** Nearly any method in httpbin, any in go-httpbin. */
export const forAny = { httpbin: readsAndWrites, 'go-httpbin': ['*'] }
export const forOnly = (method: string) => ({ httpbin: [method], 'go-httpbin': [method] })
export const inGoOnly = (...methods: readonly string[]) => ({ 'go-httpbin': methods })
export const inPythonOnly = { httpbin: ['GET'] }

export function toEndpoint(
  path: string,
  summary: string,
  handler: DialectEndpoint['handler'],
  others: Partial<DialectEndpoint> = {},
): DialectEndpoint {
  return { path, summary, handler, methods: forReads, ...others }
}
