import { hash, randomUUID } from 'node:crypto'
import type { Pair } from '../../http/security/visitor-response.ts'
import type { DialectRequest } from '../dialect.ts'
import { toEndpoint } from '../endpoint.ts'
import { toPrettyJson } from '../json.ts'
import { addHeaders, escapeHtml, renderJson, toRequestMembers } from '../render.ts'
import { findHeader } from '../text.ts'
import { serveContent } from './bytes.ts'
import { statusToResponse } from './status.ts'

const cached = { statuses: [200, 304] }

export const headerEndpoints = [
  toEndpoint(
    '/response-headers',
    'Respond with the parameters as headers',
    { methods: { httpbin: ['GET', 'POST'], 'go-httpbin': ['*'] } },
    (request) =>
      request.dialect.isPython ? renderAllHeaders(request) : renderGivenHeaders(request),
  ),
  toEndpoint('/cache', 'Respond with 304 to any condition', cached, (request) => {
    const conditions = ['if-modified-since', 'if-none-match']
    const isConditional = conditions.some((name) => findHeader(request.headers, name))
    if (isConditional) return statusToResponse(request, 304)
    const date = new Date().toUTCString()
    const etag = request.dialect.isPython
      ? randomUUID().replaceAll('-', '')
      : Buffer.from(date).toString('hex') + hash('sha1', '')
    return renderGet(request, ['Last-Modified', date], ['ETag', etag])
  }),
  toEndpoint('/cache/:seconds=60', 'Respond with Cache-Control', (request, text) => {
    const seconds = request.dialect.parseInteger(text, 'seconds', 'ParseInt')
    return renderGet(request, ['Cache-Control', `public, max-age=${String(seconds)}`])
  }),
  toEndpoint(
    '/etag/:etag=a',
    'Respond with an ETag, and apply If-Match and If-None-Match',
    { statuses: [200, 304, 412] },
    (request, etag) =>
      request.dialect.isPython ? renderPythonTag(request, etag) : renderGoTag(request, etag),
  ),
]

/** The body has all headers, Content-Length included, which depends on the body. */
function renderAllHeaders({ query, dialect }: DialectRequest) {
  const type: Pair = ['Content-Type', dialect.jsonType]
  const names = new Map(query.map(([name]) => [name.toLowerCase(), name]))
  const given = query.map(([name, value]): Pair => [names.get(name.toLowerCase()) ?? name, value])
  let body = ''
  for (;;) {
    const length: Pair = ['Content-Length', String(body.length)]
    const next = toPrettyJson(dialect.toValues([type, length, ...given]), dialect.jsonStyle)
    if (next.length === body.length) return { headers: [type, ...query], body: next }
    body = next
  }
}

const safeType = /^(text\/plain|application\/json|application\/octet-string)\s*(;|$)/i

/** The text is HTML-escaped if a browser could run text of one of these media types. */
export function toSafeText(text: string, types: readonly string[]): string {
  return types.every((type) => safeType.test(type)) ? text : escapeHtml(text)
}

function renderGivenHeaders({ query, dialect }: DialectRequest) {
  const given = query.filter(([name]) => name.toLowerCase() === 'content-type')
  const isTyped = given.some(([name, value]) => name === 'Content-Type' && value !== '')
  const own: Pair = ['Content-Type', dialect.jsonType]
  const headers = isTyped ? query : [own, ...query.filter(([name]) => name !== 'Content-Type')]
  const types = given.map(([, value]) => value).filter(Boolean)
  const shown = headers.map(([name, value]): Pair => [
    toSafeText(name, types),
    toSafeText(value, types),
  ])
  return { headers, body: toPrettyJson(dialect.toValues(shown), dialect.jsonStyle) }
}

function renderGet(request: DialectRequest, ...headers: readonly Pair[]) {
  return addHeaders(renderJson(request, toRequestMembers(request)), ...headers)
}

function renderPythonTag(request: DialectRequest, etag: string) {
  const matches = (name: string) => {
    const tags = findHeader(request.headers, name)
      ?.split(',')
      .map((part) => /^\s*(?:W\/)?"?([^"]*)/.exec(part)?.[1] ?? '')
    return tags && (tags.includes(etag) || tags.includes('*'))
  }
  const matchesNone = matches('if-none-match')
  const own: Pair = ['ETag', etag]
  if (matchesNone === true) return addHeaders(statusToResponse(request, 304), own)
  if (matchesNone === undefined && matches('if-match') === false)
    return statusToResponse(request, 412)
  return renderGet(request, own)
}

function renderGoTag(request: DialectRequest, text: string) {
  const etag = `"${text}"`
  const lastModified = new Date()
  const bytes = Buffer.from(toPrettyJson(toRequestMembers(request), request.dialect.jsonStyle))
  const response = serveContent(request, bytes, { etag, lastModified })
  const { status = 200 } = response
  if (status === 416) return response
  const own: Pair[] = [['ETag', etag]]
  if (status !== 304) own.push(['Last-Modified', lastModified.toUTCString()])
  if (status < 300) own.push(['Accept-Ranges', 'bytes'])
  return addHeaders(response, ...own)
}
