import type { Parameter } from '../http/openapi/operation.ts'
import type { BinRequest, BinResponse, Dialect, DialectName } from './dialect.ts'

/** Empty in a dialect without the endpoint. */
export function findMethods({ methods }: Endpoint, { name }: Dialect): readonly string[] {
  return (methods ?? forReads)[name] ?? []
}

export interface Endpoint {
  /** `/status/:code`. A last segment `*` matches the rest of the path, with slashes. */
  path: string
  /** In which dialects it exists, and for which methods. `*` is any. `forReads` if unset. */
  methods?: Readonly<Partial<Record<DialectName, readonly string[]>>>
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
  handler: (request: BinRequest) => BinResponse | Promise<BinResponse>
}

const readsAndWrites = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE']

/** GET in httpbin, any method in go-httpbin. */
export const forReads = { httpbin: ['GET'], 'go-httpbin': ['*'] }
/** Nearly any method in httpbin, any in go-httpbin. */
export const forAny = { httpbin: readsAndWrites, 'go-httpbin': ['*'] }
export const forOnly = (method: string) => ({ httpbin: [method], 'go-httpbin': [method] })
export const inGoOnly = (...methods: readonly string[]) => ({ 'go-httpbin': methods })
export const inPythonOnly = { httpbin: ['GET'] }

export function toEndpoint(
  path: string,
  summary: string,
  handler: Endpoint['handler'],
  others: Partial<Endpoint> = {},
): Endpoint {
  return { path, summary, handler, ...others }
}
