import type { Pair } from '../../http/security/visitor-response.ts'
import { randomUUID } from 'node:crypto'
import type { BinRequest, BinResponse } from '../dialect.ts'
import { toEndpoint, type Endpoint } from '../endpoint.ts'
import { toPrettyJson } from '../json.ts'
import { serveContent } from '../ranges.ts'
import { addHeaders, describe, escapeHtml, renderJson } from '../render.ts'
import { findHeader } from '../text.ts'
import { renderStatus } from './status.ts'

export const headerEndpoints: readonly Endpoint[] = [
  toEndpoint(
    '/response-headers',
    'Respond with the parameters as headers',
    (request) =>
      request.dialect.isPython ? renderAllHeaders(request) : renderGivenHeaders(request),
    { methods: { httpbin: ['GET', 'POST'], 'go-httpbin': ['*'] } },
  ),
  toEndpoint('/cache', 'Respond with 304 to any condition', renderCache, { statuses: [200, 304] }),
  toEndpoint(
    '/cache/:seconds',
    'Respond with Cache-Control',
    (request) => {
      const seconds = request.dialect.parseInteger(
        request.parameters[0] ?? '',
        'seconds',
        'ParseInt',
      )
      return addHeaders(renderGet(request), ['Cache-Control', `public, max-age=${String(seconds)}`])
    },
    { samples: { seconds: '60' } },
  ),
  toEndpoint(
    '/etag/:etag',
    'Respond with an ETag, and apply If-Match and If-None-Match',
    (request) => (request.dialect.isPython ? renderPythonTag(request) : renderGoTag(request)),
    { samples: { etag: 'a' }, statuses: [200, 304, 412] },
  ),
]

const renderGet = (request: BinRequest) => renderJson(request, describe(request))

/** The body has all headers, Content-Length included, which depends on the body. */
function renderAllHeaders({ query, dialect }: BinRequest): BinResponse {
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

const safeTypes = /^(text\/plain|application\/json|application\/octet-string)\s*(;|$)/i

/** Whether a browser could run text of any of these media types. */
export function isDangerous(types: readonly string[]): boolean {
  return types.some((type) => !safeTypes.test(type))
}

function renderGivenHeaders({ query, dialect }: BinRequest): BinResponse {
  const given = query.filter(([name]) => name.toLowerCase() === 'content-type')
  const isTyped = given.some(([name, value]) => name === 'Content-Type' && value !== '')
  const own: Pair = ['Content-Type', dialect.jsonType]
  const rest = isTyped ? query : query.filter(([name]) => name !== 'Content-Type')
  const headers = isTyped ? query : [own, ...rest]
  const mustEscape = isDangerous(given.map(([, value]) => value).filter(Boolean))
  const toText = (text: string) => (mustEscape ? escapeHtml(text) : text)
  const shown = headers.map(([name, value]): Pair => [toText(name), toText(value)])
  return { headers, body: toPrettyJson(dialect.toValues(shown), dialect.jsonStyle) }
}

function renderCache(request: BinRequest): BinResponse {
  const { headers } = request
  const isConditional =
    findHeader(headers, 'if-modified-since') || findHeader(headers, 'if-none-match')
  if (isConditional) return renderStatus(304, request)
  const etag = randomUUID().replaceAll('-', '')
  return addHeaders(renderGet(request), ['Last-Modified', new Date().toUTCString()], ['ETag', etag])
}

function renderPythonTag(request: BinRequest): BinResponse {
  const [etag = ''] = request.parameters
  const list = (name: string) =>
    findHeader(request.headers, name)
      ?.split(',')
      .map((part) => /^\s*(?:W\/)?"?([^"]*)/.exec(part)?.[1] ?? '')
  const matches = (tags: readonly string[]) => tags.includes(etag) || tags.includes('*')
  const ifNoneMatch = list('if-none-match')
  const ifMatch = ifNoneMatch ? undefined : list('if-match')
  const own: Pair = ['ETag', etag]
  if (ifNoneMatch && matches(ifNoneMatch)) return addHeaders(renderStatus(304, request), own)
  if (ifMatch && !matches(ifMatch)) return renderStatus(412, request)
  return addHeaders(renderGet(request), own)
}

function renderGoTag(request: BinRequest): BinResponse {
  const etag = `"${request.parameters[0] ?? ''}"`
  const lastModified = new Date()
  const bytes = Buffer.from(toPrettyJson(describe(request), request.dialect.jsonStyle))
  const response = serveContent(request, {
    size: bytes.length,
    toBytes: ({ start, last }) => bytes.subarray(start, last + 1),
    etag,
    lastModified,
  })
  const { status = 200 } = response
  if (status === 416) return response
  const tag: Pair = ['ETag', etag]
  if (status === 304) return addHeaders(response, tag)
  const tagged = addHeaders(response, tag, ['Last-Modified', lastModified.toUTCString()])
  return status === 412 ? tagged : addHeaders(tagged, ['Accept-Ranges', 'bytes'])
}
