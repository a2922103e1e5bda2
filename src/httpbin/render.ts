import type { VisitorResponse } from '../http/response/send-visitor-response.ts'
import type { Pair } from '../http/security/visitor-response.ts'
import { html } from '../site/html.ts'
import type { DialectRequest, Mount } from './dialect.ts'
import { toPrettyJson } from './json.ts'

export function renderJson({ dialect }: Mount, value: unknown, status = 200): VisitorResponse {
  const headers = [['Content-Type', dialect.jsonType]] as const
  return { status, headers, body: toPrettyJson(value, dialect.jsonStyle) }
}

export function renderText(
  { dialect }: Mount,
  body: string | Buffer,
  status = 200,
): VisitorResponse {
  return { status, headers: [['Content-Type', dialect.textType]], body }
}

export function addHeaders(
  response: VisitorResponse,
  ...headers: readonly Pair[]
): VisitorResponse {
  return { ...response, headers: [...(response.headers ?? []), ...headers] }
}

/** A page of the service itself, without any part of the request. */
export function renderOwnPage(body: string): VisitorResponse {
  const policy =
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; sandbox allow-forms"
  return { headers: [['Content-Type', 'text/html; charset=utf-8']], body, policy }
}

/** Of the JSON that shows a request, in the order of go-httpbin. httpbin sorts them. */
export function toRequestMembers(
  request: DialectRequest,
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
export function renderRedirect(mount: Mount, location: string, hasPage = true): VisitorResponse {
  const target: Pair = ['Location', location]
  if (!mount.dialect.isPython) return { status: 302, headers: [target] }
  return addHeaders(renderText(mount, hasPage ? toRedirectPage(location) : '', 302), target)
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

/** As both services escape it. */
export const escapeHtml = (text: string) => html`${text}`.markup.replaceAll('&quot;', '&#34;')
