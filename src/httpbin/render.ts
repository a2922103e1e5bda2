import { HttpError } from '../http/errors/http-error.ts'
import type { Pair } from '../http/security/visitor-response.ts'
import type { Bin, BinRequest, BinResponse } from './dialect.ts'
import { toPrettyJson } from './json.ts'

export function renderJson({ dialect }: Bin, value: unknown, status = 200): BinResponse {
  const headers = [['Content-Type', dialect.jsonType]] as const
  return { status, headers, body: toPrettyJson(value, dialect.jsonStyle) }
}

export function renderText({ dialect }: Bin, body: string | Buffer, status = 200): BinResponse {
  return { status, headers: [['Content-Type', dialect.textType]], body }
}

export function addHeaders(response: BinResponse, ...headers: readonly Pair[]): BinResponse {
  return { ...response, headers: [...(response.headers ?? []), ...headers] }
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
  { hasMethod = false, hasBody = false } = {},
): Map<string, unknown> {
  const { dialect } = request
  const members = new Map<string, unknown>()
  members.set('args', dialect.toValues(request.query))
  members.set('headers', dialect.toHeaders(request))
  if (hasMethod || !dialect.isPython) members.set('method', request.method)
  members.set('origin', dialect.toOrigin(request))
  members.set('url', dialect.toUrl(request))
  if (!hasBody) return members
  for (const [name, value] of Object.entries(dialect.parseBody(request))) members.set(name, value)
  return members
}

/** httpbin sends some redirects with a page, and others without. */
export function renderRedirect(bin: Bin, location: string, hasPage = true): BinResponse {
  const target: Pair = ['Location', location]
  if (!bin.dialect.isPython) return { status: 302, headers: [target] }
  return addHeaders(renderText(bin, hasPage ? toRedirectPage(location) : '', 302), target)
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

export function renderUnauthorized(bin: Bin, challenge: string): BinResponse {
  const { isPython, renderError } = bin.dialect
  const response = isPython ? renderText(bin, '', 401) : renderError(new HttpError(401, ''))
  return addHeaders(response, ['WWW-Authenticate', challenge])
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

export function renderAuthenticated(bin: Bin, user: string, isRight = true): BinResponse {
  const members = new Map<string, unknown>(Object.entries({ authenticated: isRight, user }))
  if (!bin.dialect.isPython) members.set('authorized', isRight)
  return renderJson(bin, members, isRight ? 200 : 401)
}
