import { badRequest, HttpError } from '../../http/errors/http-error.ts'
import { toOrigin } from '../../http/request/request-head.ts'
import { isRedirectAllowed, type Pair } from '../../http/security/visitor-response.ts'
import type { DialectRequest } from '../dialect.ts'
import { toBase } from '../dialects/httpbin.ts'
import { forAny, toEndpoint, type DialectEndpoint } from '../endpoint.ts'
import { assertInRange, findParameter, findInteger, quote } from '../parameters.ts'
import { renderAs, renderRedirect } from '../render.ts'
import { findFirst } from '../text.ts'

const statuses = [302]
const redirectParts: Partial<DialectEndpoint> = {
  query: { url: ['The URL.', '/get'] },
  toSchemas: () => ({ url: { type: 'string', minLength: 1 } }),
  requiresQuery: true,
  statuses,
}

export const redirects = [
  toEndpoint('/redirect/:count=2', 'Redirect several times', { statuses }, (request, count) => {
    const isAbsolute = findFirst(request.query, 'absolute')?.toLowerCase() === 'true'
    return renderRedirect(request, parseNext(request, count, isAbsolute))
  }),
  toEndpoint(
    '/relative-redirect/:count=2',
    'Redirect several times, to relative URLs',
    { statuses },
    (request, count) => renderRedirect(request, parseNext(request, count, false), false),
  ),
  toEndpoint(
    '/absolute-redirect/:count=2',
    'Redirect several times, to absolute URLs',
    { statuses },
    (request, count) => renderRedirect(request, parseNext(request, count, true)),
  ),
  toEndpoint(
    '/redirect-to',
    'Redirect to a URL',
    { methods: forAny, ...redirectParts },
    redirectTo,
  ),
]

function parseNext(request: DialectRequest, text: string, isAbsolute: boolean): string {
  const count = request.dialect.parseInteger(text, 'redirect count')
  if (count < 1) throw badRequest('redirect count must be > 0')
  const next = `/${isAbsolute ? 'absolute' : 'relative'}-redirect/${String(count - 1)}`
  return (isAbsolute ? toBase(request) : '') + request.prefix + (count === 1 ? '/get' : next)
}

function redirectTo(request: DialectRequest) {
  const { prefix, dialect, config } = request
  const { isPython } = dialect
  // httpbin accepts its parameters in any case.
  const query = isPython
    ? request.query.map(([name, value]): Pair => [name.toLowerCase(), value])
    : request.query
  const url = findFirst(query, 'url')
  if (!url) throw badRequest('missing required query parameter: url')
  const location = encodeURI(url).replaceAll('%25', '%')
  const isRelative = !isPython && !/^([a-z][a-z\d+.-]*:|\/(?!\/))/i.test(url)
  const { allowedRedirectDomains } = config
  const limits = { origin: toOrigin(request.fastify), allowedRedirectDomains }
  if (isRelative || !isRedirectAllowed(location, limits)) {
    const text = 'This redirect is not allowed. ALLOWED_REDIRECT_DOMAINS has the allowed hosts.'
    if (isPython) throw new HttpError(403, text)
    return renderAs('text/plain', isRelative ? '' : text, 403)
  }
  const status = toRedirectStatus({ ...request, query })
  const target = !isPython && url.startsWith('/') ? prefix + location : location
  return { ...renderRedirect(request, target, false), status }
}

function toRedirectStatus(request: DialectRequest): number {
  const { isPython, parseInteger } = request.dialect
  if (isPython) {
    const code = findInteger(request, 'status_code') ?? 302
    return code >= 300 && code <= 399 ? code : 302
  }
  const text = findParameter(request, 'status_code')
  if (text === undefined) return 302
  const code = parseInteger(text, `status code: ${quote(text)}`)
  assertInRange(code, 'status code', [300, 399])
  return code
}
