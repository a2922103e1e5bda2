import { hash, randomBytes } from 'node:crypto'
import { badRequest, HttpError, notFound } from '../../http/errors/http-error.ts'
import type { VisitorResponse } from '../../http/response/send-visitor-response.ts'
import type { DialectRequest } from '../dialect.ts'
import { inPythonOnly, toEndpoint } from '../endpoint.ts'
import { quote } from '../parameters.ts'
import { addHeaders, renderAs, renderJson } from '../render.ts'
import { findHeader, findFirst } from '../text.ts'
import { parseCookies, toCookie } from './cookies.ts'
import { basicChallenge, statusToResponse } from './status.ts'

const basic = ':user=Ann/:password=secret'
const digest = `/digest-auth/:qop=auth/${basic}`
const requireDigest = 'Require Digest authentication'
const options = { statuses: [200, 401] }
const digestOptions = { statuses: [200, 401, 403], readsBody: true }

export const authEndpoints = [
  toEndpoint(
    `/basic-auth/${basic}`,
    'Require Basic authentication',
    options,
    (request, ...path) => {
      const { user, isRight } = checkBasic(request, path)
      if (!isRight && request.dialect.isPython) return statusToResponse(request, 401)
      const response = renderAuthenticated(request, user, isRight)
      return isRight ? response : addHeaders(response, ['WWW-Authenticate', basicChallenge])
    },
  ),
  toEndpoint(
    `/hidden-basic-auth/${basic}`,
    'Require Basic authentication, and respond with 404 without it',
    { statuses: [200, 404] },
    (request, ...path) => {
      const { user, isRight } = checkBasic(request, path)
      if (isRight) return renderAuthenticated(request, user)
      if (request.dialect.isPython) return statusToResponse(request, 404)
      throw notFound('')
    },
  ),
  toEndpoint('/bearer', 'Require a Bearer token, and return it', options, (request) => {
    const given = findHeader(request.headers, 'authorization') ?? ''
    const format = request.dialect.isPython ? /^Bearer (.*)$/s : /^\s*Bearer\s+(\S+)\s*$/
    const [, token] = format.exec(given) ?? []
    if (token === undefined) return renderUnauthorized(request, 'Bearer')
    return renderJson(request, { authenticated: true, token })
  }),
  toEndpoint(digest, requireDigest, digestOptions, renderDigest),
  toEndpoint(`${digest}/:algorithm=SHA-256`, requireDigest, digestOptions, renderDigest),
  toEndpoint(
    `${digest}/:algorithm=SHA-256/:staleAfter=2`,
    requireDigest,
    { ...digestOptions, methods: inPythonOnly },
    renderDigest,
  ),
]

function renderAuthenticated(request: DialectRequest, user: string, isRight = true) {
  const members = new Map<string, unknown>(Object.entries({ authenticated: isRight, user }))
  if (!request.dialect.isPython) members.set('authorized', isRight)
  return renderJson(request, members, isRight ? 200 : 401)
}

function renderUnauthorized({ dialect }: DialectRequest, challenge: string) {
  const { isPython, renderError, textType } = dialect
  const response = isPython ? renderAs(textType, '', 401) : renderError(new HttpError(401, ''))
  return addHeaders(response, ['WWW-Authenticate', challenge])
}

function checkBasic({ headers }: DialectRequest, [user, password]: readonly string[]) {
  const sent = findHeader(headers, 'authorization') ?? ''
  const [, encoded = ''] = /^basic +(\S+)\s*$/i.exec(sent) ?? []
  const credentials = Buffer.from(encoded, 'base64').toString()
  const [, given = '', secret] = /^([^:]*):(.*)$/s.exec(credentials) ?? []
  return { user: given, isRight: given === user && secret === password }
}

function renderDigest(request: DialectRequest, ...path: string[]) {
  return request.dialect.isPython
    ? renderPythonDigest(request, path)
    : renderGoDigest(request, path)
}

/** The state of a client is in its cookies: the nonce of a failed attempt, and a count down to a stale one. */
function renderPythonDigest(request: DialectRequest, path: readonly string[]) {
  const [, user = '', , , staleAfter = 'never'] = path
  const needsCookie = /^(1|t|true)$/i.test(findFirst(request.query, 'require-cookie') ?? '')
  const credentials = parseCredentials(request)
  const cookies = parseCookies(request)
  const fake = 'fake_value'
  const challenge = (isStale: boolean, values: CookieValues = {}) => {
    const response = renderUnauthorized(request, toChallenge(path, isStale))
    return addCookies(request, response, { stale_after: staleAfter, ...values, fake })
  }
  const hasCookies = findHeader(request.headers, 'cookie') !== undefined
  if (!credentials || (needsCookie && !hasCookies)) return challenge(false)
  if (needsCookie && cookies.get('fake') !== fake) {
    const denied = renderJson(request, { errors: ['missing cookie set on challenge'] }, 403)
    return addCookies(request, denied, { fake })
  }
  const nonce = credentials.get('nonce') ?? ''
  const count = cookies.get('stale_after')
  const isStale = nonce === cookies.get('last_nonce') || count === '0'
  if (isStale || !isRight(request, credentials, path)) {
    return challenge(isStale, { last_nonce: nonce })
  }
  const left = count && (/^[+-]?\d+$/.test(count) ? String(Number(count) - 1) : 'never')
  const values = { fake, ...(left && { stale_after: left }) }
  return addCookies(request, renderAuthenticated(request, user), values)
}

type CookieValues = Readonly<Record<string, string>>

function addCookies({ dialect }: DialectRequest, response: VisitorResponse, values: CookieValues) {
  return addHeaders(response, ...Object.entries(values).map((pair) => toCookie(pair, dialect)))
}

function toChallenge([qop = '', , , name = '']: readonly string[], isStale: boolean): string {
  const algorithm = toAlgorithm(name)
  const random = () => hashData(algorithm, randomBytes(16))
  const offered = ['auth', 'auth-int'].includes(qop) ? qop : 'auth, auth-int'
  return [
    `Digest realm="me@kennethreitz.com", nonce="${random()}", opaque="${random()}"`,
    `qop="${offered}", algorithm=${algorithm}, stale=${isStale ? 'True' : 'False'}`,
  ].join(', ')
}

function renderGoDigest(request: DialectRequest, path: readonly string[]) {
  const [quality = '', user = '', , name = 'MD5'] = path
  const [qop, algorithm] = [quality.toLowerCase(), name.toUpperCase()]
  if (qop !== 'auth') throw badRequest(`invalid QOP directive: ${quote(qop)} != "auth"`)
  if (algorithm !== 'MD5' && algorithm !== 'SHA-256') {
    throw badRequest(`invalid algorithm: ${algorithm} must be one of MD5 or SHA-256`)
  }
  const credentials = parseCredentials(request)
  if (credentials && isRight(request, credentials, path)) return renderAuthenticated(request, user)
  const random = () => hashData('MD5', randomBytes(16))
  const start = `Digest qop=auth, realm="go-httpbin", algorithm=${algorithm}`
  return renderUnauthorized(request, `${start}, nonce=${random()}, opaque=${random()}`)
}

const algorithms = ['MD5', 'SHA-256', 'SHA-512']

const toAlgorithm = (name: string) => (algorithms.includes(name) ? name : 'MD5')

const hashData = (algorithm: string, content: string | Buffer) =>
  hash(algorithm.replace('-', '').toLowerCase(), content)

function parseCredentials({ headers }: DialectRequest): Map<string, string> | undefined {
  const [, list] = /^digest +(.+)$/is.exec(findHeader(headers, 'authorization') ?? '') ?? []
  const members = list?.matchAll(/(?<![\w-])([\w-]+)\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^\s,]*))/g)
  const toPair = ([, name = '', quoted, plain = '']: RegExpExecArray) =>
    [name, quoted?.replaceAll(/\\(.)/g, '$1') ?? plain] as const
  return members && new Map(members.map(toPair))
}

/** RFC 7616 §3.4.1 has the formula, and without `qop` RFC 2069. */
function isRight(
  { method, target, body }: DialectRequest,
  credentials: ReadonlyMap<string, string>,
  [, user, password = '']: readonly string[],
): boolean {
  const get = (name: string) => credentials.get(name) ?? ''
  const algorithm = toAlgorithm(get('algorithm').toUpperCase())
  const qop = credentials.get('qop')
  const parts = [method, target, ...(qop === 'auth-int' ? [hashData(algorithm, body)] : [])]
  const start = hashData(algorithm, `${get('username')}:${get('realm')}:${password}`)
  const middle = qop === undefined ? [] : [get('nc'), get('cnonce'), qop]
  const end = hashData(algorithm, parts.join(':'))
  const expected = hashData(algorithm, [start, get('nonce'), ...middle, end].join(':'))
  return get('username') === user && get('response') === expected
}
