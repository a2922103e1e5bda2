import type { BinRequest, BinResponse, Dialect } from './dialect.ts'
import { toPrettyJson } from './json.ts'

export function renderJson(dialect: Dialect, value: unknown, status = 200): BinResponse {
  const headers = [['Content-Type', dialect.jsonType]] as const
  return { status, headers, body: toPrettyJson(value, dialect.jsonStyle) }
}

export function renderText(dialect: Dialect, body: string, status = 200): BinResponse {
  return { status, headers: [['Content-Type', dialect.textType]], body }
}

/** A page of the service itself, without any part of the request. */
export function renderOwnPage(body: string): BinResponse {
  const policy =
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; sandbox allow-forms"
  return { headers: [['Content-Type', 'text/html; charset=utf-8']], body, policy }
}

/** The description of a request, in the order of go-httpbin. httpbin sorts it. */
export function describe(
  request: BinRequest,
  dialect: Dialect,
  { hasMethod = false, hasBody = false } = {},
): Map<string, unknown> {
  return new Map<string, unknown>([
    ['args', dialect.toValues(request.query)],
    ['headers', dialect.toHeaders(request)],
    ...(hasMethod || dialect.alwaysHasMethod ? [['method', request.method] as const] : []),
    ['origin', dialect.toOrigin(request)],
    ['url', dialect.toUrl(request)],
    ...(hasBody ? Object.entries(dialect.parseBody(request)) : []),
  ])
}
