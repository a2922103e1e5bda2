import { readFileSync } from 'node:fs'
import { packageFolder } from '../config/package-folder.ts'
import type { VisitorResponse } from '../http/response/send-visitor-response.ts'
import type { Pair } from '../http/security/visitor-response.ts'
import { html } from '../site/html.ts'
import type { DialectRequest, Mount } from './dialect.ts'
import { toPrettyJson } from './json.ts'

export const readAsset = (name: string) =>
  readFileSync(new URL(`src/httpbin/assets/${name}`, packageFolder))

type VisitorBody = NonNullable<VisitorResponse['body']>

export function renderAs(type: string, body: VisitorBody, status = 200): VisitorResponse {
  return { status, headers: [['Content-Type', type]], body }
}

export function renderJson({ dialect }: Mount, value: unknown, status = 200): VisitorResponse {
  return renderAs(dialect.jsonType, toPrettyJson(value, dialect.jsonStyle), status)
}

export function addHeaders(
  response: VisitorResponse,
  ...headers: readonly Pair[]
): VisitorResponse {
  return { ...response, headers: [...(response.headers ?? []), ...headers] }
}

/** The page must have no part of the request. */
export function renderOwnPage(body: string): VisitorResponse {
  const policy =
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; sandbox allow-forms"
  return { ...renderAs('text/html; charset=utf-8', body), policy }
}

/** The members are in the order of go-httpbin; httpbin sorts them. */
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

const redirectPage = String(readAsset('redirect.html'))

/** httpbin sends some redirects with a page, and others without. */
export function renderRedirect({ dialect }: Mount, location: string, hasPage = true) {
  const target: Pair = ['Location', location]
  if (!dialect.isPython) return { status: 302, headers: [target] }
  const page = hasPage ? redirectPage.replaceAll('{url}', () => escapeHtml(location)) : ''
  return addHeaders(renderAs(dialect.textType, page, 302), target)
}

/** Both services escape quotation marks so. */
export const escapeHtml = (text: string) => html`${text}`.markup.replaceAll('&quot;', '&#34;')
