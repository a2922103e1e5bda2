import { badRequest, HttpError } from '../../http/errors/http-error.ts'
import { queryParameters } from '../../http/openapi/content.ts'
import { toOrigin } from '../../http/request/request-head.ts'
import type { VisitorResponse } from '../../http/response/send-visitor-response.ts'
import { isRedirectAllowed, type Pair } from '../../http/security/visitor-response.ts'
import type { Dialect, DialectRequest } from '../dialect.ts'
import { toScheme } from '../dialects/httpbin.ts'
import { forAny, toEndpoint } from '../endpoint.ts'
import { renderRedirect } from '../render.ts'
import { findValue } from '../text.ts'

type Kind = 'relative' | 'absolute'

const statuses = [302]
const required = { required: true }

export const redirectEndpoints = [
  toChain('/redirect', 'Redirect several times'),
  toChain('/relative-redirect', 'Redirect several times, to relative URLs', 'relative'),
  toChain('/absolute-redirect', 'Redirect several times, to absolute URLs', 'absolute'),
  toEndpoint('/redirect-to', 'Redirect to a URL', renderRedirectTo, {
    methods: forAny,
    parameters: queryParameters({ url: ['The URL.', '/get'] }).map((url) => ({
      ...url,
      ...required,
    })),
    statuses,
  }),
]

function toChain(path: string, summary: string, kind?: Kind) {
  return toEndpoint(
    `${path}/:count=2`,
    summary,
    (request, count) => {
      const asked = findValue(request.query, 'absolute')?.toLowerCase() === 'true'
      const isAbsolute = kind === undefined ? asked : kind === 'absolute'
      return renderRedirect(request, toNext(request, count, isAbsolute), kind !== 'relative')
    },
    { statuses },
  )
}

function toNext(request: DialectRequest, text: string, isAbsolute: boolean): string {
  const count = request.dialect.parseInteger(text, 'redirect count')
  if (count < 1) throw badRequest('redirect count must be > 0')
  const next = `/${isAbsolute ? 'absolute' : 'relative'}-redirect/${String(count - 1)}`
  const path = request.prefix + (count === 1 ? '/get' : next)
  return isAbsolute ? `${toScheme(request)}://${request.fastify.host}${path}` : path
}

function renderRedirectTo(request: DialectRequest): VisitorResponse {
  const { prefix, dialect, config } = request
  const { isPython } = dialect
  // httpbin accepts its parameters in any case.
  const query = isPython
    ? request.query.map(([name, value]): Pair => [name.toLowerCase(), value])
    : request.query
  const url = findValue(query, 'url')
  if (!url) throw badRequest('missing required query parameter: url')
  const location = encodeURI(url).replaceAll('%25', '%')
  const isRelative = !isPython && !/^([a-z][a-z\d+.-]*:|\/(?!\/))/i.test(url)
  const { allowedRedirectDomains } = config
  const limits = { origin: toOrigin(request.fastify), allowedRedirectDomains }
  if (isRelative || !isRedirectAllowed(location, limits)) {
    const text = 'This redirect is not allowed. ALLOWED_REDIRECT_DOMAINS has the allowed hosts.'
    if (isPython) throw new HttpError(403, text)
    return { status: 403, headers: [['Content-Type', 'text/plain']], body: isRelative ? '' : text }
  }
  const status = toRedirectStatus(findValue(query, 'status_code'), dialect)
  const target = !isPython && url.startsWith('/') ? prefix + location : location
  return { ...renderRedirect(request, target, false), status }
}

function toRedirectStatus(text: string | undefined, { isPython, parseInteger }: Dialect): number {
  if (!text) return 302
  if (isPython) {
    if (!/^[+-]?\d+$/.test(text)) throw badRequest('status_code must be a number.')
    return /^3\d\d$/.test(text) ? Number(text) : 302
  }
  const code = parseInteger(text, `status code: ${JSON.stringify(text)}`)
  if (code >= 300 && code < 400) return code
  throw badRequest(`invalid status code: ${String(code)} not in range [300, 399]`)
}
