import type { queryParameters } from '../http/openapi/content.ts'
import type { Schema } from '../http/openapi/operation.ts'
import type { VisitorResponse } from '../http/response/send-visitor-response.ts'
import type { DialectName, DialectRequest, Mount } from './dialect.ts'

type DialectHandler = (
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
  handler: DialectHandler
  methods: Readonly<Partial<Record<DialectName, readonly string[]>>>
  readsBody?: boolean
  description?: string
  query?: Parameters<typeof queryParameters>[0]
  requiresQuery?: boolean
  toSchemas?: (mount: Mount) => Readonly<Record<string, Schema>>
  /** If unset, 200 is documented. */
  statuses?: readonly (number | string)[]
  /** If unset, JSON is documented. Text and HTML always are. */
  mediaTypes?: readonly string[]
}

const readsAndWrites = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE']

const forReads = { httpbin: ['GET'], 'go-httpbin': ['*'] }
export const forAny = { httpbin: readsAndWrites, 'go-httpbin': ['*'] }
export const forOnly = (method: string) => ({ httpbin: [method], 'go-httpbin': [method] })
export const inGoOnly = (...methods: readonly string[]) => ({ 'go-httpbin': methods })
export const inPythonOnly = { httpbin: ['GET'] }

type Rest =
  readonly [others: Partial<DialectEndpoint>, handler: DialectHandler] | readonly [DialectHandler]

export function toEndpoint(path: string, summary: string, ...rest: Rest): DialectEndpoint {
  const [others, handler] = rest.length === 1 ? [{}, ...rest] : rest
  return { path, summary, handler, methods: forReads, ...others }
}
