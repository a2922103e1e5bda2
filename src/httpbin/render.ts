import { HttpError } from '../http/errors/http-error.ts'
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
  const members = new Map<string, unknown>()
  members.set('args', dialect.toValues(request.query))
  members.set('headers', dialect.toHeaders(request))
  if (hasMethod || dialect.alwaysHasMethod) members.set('method', request.method)
  members.set('origin', dialect.toOrigin(request))
  members.set('url', dialect.toUrl(request))
  if (!hasBody) return members
  for (const [name, value] of Object.entries(dialect.parseBody(request))) members.set(name, value)
  return members
}

/** httpbin sends some redirects with a page, and others without. */
export function renderRedirect(location: string, dialect: Dialect, hasPage = true): BinResponse {
  const type = ['Content-Type', 'text/html; charset=utf-8'] as const
  const headers = [['Location', location] as const, ...(dialect.isPython ? [type] : [])]
  return { status: 302, headers, body: dialect.isPython && hasPage ? toRedirectPage(location) : '' }
}

function toRedirectPage(location: string): string {
  const url = escapeHtml(location)
  return `<!doctype html>
<html lang=en>
<title>Redirecting...</title>
<h1>Redirecting...</h1>
<p>You should be redirected automatically to the target URL: <a href="${url}">${url}</a>. If not, click the link.
`
}

export function renderUnauthorized(dialect: Dialect, challenge: string): BinResponse {
  const empty = { status: 401, headers: [['Content-Type', dialect.textType] as const] }
  const response: BinResponse = dialect.isPython
    ? empty
    : dialect.renderError(new HttpError(401, ''))
  return { ...response, headers: [...(response.headers ?? []), ['WWW-Authenticate', challenge]] }
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  "'": '&#39;',
  '"': '&#34;',
}

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>'"]/g, (character) => entities[character] ?? '')
}

export function renderAuthenticated(dialect: Dialect, user: string, isRight = true): BinResponse {
  const members = new Map<string, unknown>([
    ['authenticated', isRight],
    ['user', user],
  ])
  if (!dialect.isPython) members.set('authorized', isRight)
  return renderJson(dialect, members, isRight ? 200 : 401)
}
