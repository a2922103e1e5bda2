import type { Pair } from '../http/security/visitor-response.ts'
import { hash, randomBytes } from 'node:crypto'
import { badRequest } from '../http/errors/http-error.ts'
import { parseCookies, toCookie } from './cookies.ts'
import type { BinRequest, BinResponse } from './dialect.ts'
import { addHeaders, renderAuthenticated, renderJson, renderUnauthorized } from './render.ts'
import { findHeader, findValue } from './text.ts'

type Credentials = ReadonlyMap<string, string>

const hashNames: Readonly<Record<string, string>> = {
  MD5: 'md5',
  'SHA-256': 'sha256',
  'SHA-512': 'sha512',
}

export function renderDigest(request: BinRequest): BinResponse {
  return request.dialect.isPython ? renderWithCookies(request) : renderSimple(request)
}

/** The state of a client is in its cookies: the nonce of a failed attempt, and a count down to a stale one. */
function renderWithCookies(request: BinRequest): BinResponse {
  const { dialect, parameters, headers, query } = request
  const [, user = '', , , staleAfter = 'never'] = parameters
  const needsCookie = /^(1|t|true)$/i.test(findValue(query, 'require-cookie') ?? '')
  const credentials = parseCredentials(headers)
  const sent = findHeader(headers, 'cookie')
  const cookies = parseCookies(request)
  const fake = 'fake_value'
  const addCookies = (response: BinResponse, values: Readonly<Record<string, string>>) => {
    const pairs = Object.entries(values)
    return addHeaders(response, ...pairs.map(([name, value]) => toCookie({ name, value }, dialect)))
  }
  if (!credentials || (needsCookie && sent === undefined)) {
    return addCookies(challenge(request), { stale_after: staleAfter, fake })
  }
  if (needsCookie && cookies.get('fake') !== fake) {
    const denied = renderJson(request, { errors: ['missing cookie set on challenge'] }, 403)
    return addCookies(denied, { fake })
  }
  const nonce = credentials.get('nonce') ?? ''
  const count = cookies.get('stale_after')
  const isStale = nonce === cookies.get('last_nonce') || count === '0'
  if (isStale || !isRight(credentials, request)) {
    const next = { stale_after: staleAfter, last_nonce: nonce, fake }
    return addCookies(challenge(request, isStale), next)
  }
  const left = count && (/^[+-]?\d+$/.test(count) ? String(Number(count) - 1) : 'never')
  return addCookies(renderAuthenticated(request, user), {
    fake,
    ...(left && { stale_after: left }),
  })
}

/** `quality` and `algorithm` of the path, or their defaults. */
function challenge(request: BinRequest, isStale = false): BinResponse {
  const [qop = '', , , name = ''] = request.parameters
  const algorithm = Object.hasOwn(hashNames, name) ? name : 'MD5'
  const random = () => hash(hashNames[algorithm] ?? 'md5', randomBytes(16))
  const offered = ['auth', 'auth-int'].includes(qop) ? qop : 'auth, auth-int'
  const value = [
    `Digest realm="me@kennethreitz.com", nonce="${random()}", opaque="${random()}"`,
    `qop="${offered}", algorithm=${algorithm}, stale=${isStale ? 'True' : 'False'}`,
  ]
  return renderUnauthorized(request, value.join(', '))
}

function renderSimple(request: BinRequest): BinResponse {
  const { parameters, headers } = request
  const [quality = '', user = '', , name = 'MD5'] = parameters
  const [qop, algorithm] = [quality.toLowerCase(), name.toUpperCase()]
  if (qop !== 'auth') throw badRequest(`invalid QOP directive: ${JSON.stringify(qop)} != "auth"`)
  if (algorithm !== 'MD5' && algorithm !== 'SHA-256') {
    throw badRequest(`invalid algorithm: ${algorithm} must be one of MD5 or SHA-256`)
  }
  const credentials = parseCredentials(headers)
  if (credentials && isRight(credentials, request)) return renderAuthenticated(request, user)
  const random = () => hash('md5', randomBytes(16))
  const start = `Digest qop=auth, realm="go-httpbin", algorithm=${algorithm}`
  return renderUnauthorized(request, `${start}, nonce=${random()}, opaque=${random()}`)
}

function parseCredentials(headers: readonly Pair[]): Credentials | undefined {
  const [, list] = /^digest +(.+)$/is.exec(findHeader(headers, 'authorization') ?? '') ?? []
  if (list === undefined) return undefined
  const members = list.matchAll(/(?<![\w-])([\w-]+)\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^\s,]*))/g)
  return new Map(
    [...members].map(([, name = '', quoted, plain = '']) => [
      name,
      quoted?.replaceAll(/\\(.)/g, '$1') ?? plain,
    ]),
  )
}

/** RFC 7616 §3.4.1, and RFC 2069 without `qop`. */
function isRight(
  credentials: Credentials,
  { parameters, method, target, body }: BinRequest,
): boolean {
  const [, user, password = ''] = parameters
  const get = (name: string) => credentials.get(name) ?? ''
  const toHash = (data: string | Buffer) =>
    hash(hashNames[get('algorithm').toUpperCase()] ?? 'md5', data)
  const qop = credentials.get('qop')
  const parts = [method, target, ...(qop === 'auth-int' ? [toHash(body)] : [])]
  const start = toHash(`${get('username')}:${get('realm')}:${password}`)
  const middle = qop === undefined ? [] : [get('nc'), get('cnonce'), qop]
  const expected = [start, get('nonce'), ...middle, toHash(parts.join(':'))].join(':')
  return get('username') === user && get('response') === toHash(expected)
}
