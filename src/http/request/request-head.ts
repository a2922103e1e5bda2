import type { FastifyRequest } from 'fastify'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { formatNumber } from '../../config/format-count.ts'
import type { Config } from '../../config/config.ts'
import { localHosts, toHostname } from '../../config/hosts.ts'
import { isAllowedHost, isWriteAllowed, type Origins } from '../security/origins.ts'
import { isHttp2, toPath } from './target.ts'
import { remember } from '../remember.ts'
import { badFraming, badRequest, HttpError, readOnly } from '../errors/http-error.ts'
import { assertMemoryLeft } from '../response/pending-bytes.ts'
import { awaitsContinue } from '../body/read-bytes.ts'
import { isSafe, overrideHeader, assertNotUnsafeLink } from './method-override.ts'

declare module 'node:http' {
  interface IncomingMessage {
    isHeadValid?: boolean
  }
}

// Pages show commands with the host, so that it has no character with a meaning in a shell.
const isHost = remember((text) => /^[\w.~+,=%:[\]-]+$/.test(text) && URL.canParse(`http://${text}`))

const scheme = /^https?$/

/** Clients could choose the id of another request, so that only the id of a proxy is used. */
export function toRequestId(raw: IncomingMessage, isProxy: (address?: string) => boolean): string {
  const own = randomUUID()
  const sent = raw.headers['x-request-id']
  if (typeof sent !== 'string' || !/^[\w.:;=@+/-]{1,128}$/.test(sent)) return own
  if (!isProxy(raw.socket.remoteAddress)) return own
  raw.ownId = own
  return sent
}

export function toRequestUri(id: string): string {
  const isUuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id)
  return isUuid ? `urn:uuid:${id}` : `data:,${encodeURIComponent(id)}`
}

/** It is undefined if the request has no valid host, as over HTTP/1.0. */
export function findOrigin({ protocol, host }: FastifyRequest): string | undefined {
  return scheme.test(protocol) && isHost(host) ? `${protocol}://${host}` : undefined
}

export function toOrigin(request: FastifyRequest): string {
  return findOrigin(request) ?? `http://localhost:${String(request.socket.localPort ?? 80)}`
}

/** What the commands of a page begin with, so that they use the sandbox of the page. */
export const toBaseUrl = (request: FastifyRequest): string =>
  toOrigin(request) + (request.raw.sandboxPath ?? '')

/** This protects against DNS rebinding. A script can set X-Forwarded-Host, but not Host, which is `received`. */
export function assertHost(allowed: readonly string[], host = '', received = host): void {
  if (host !== '' && !isAllowedHost(host, allowed)) throw misdirectedHost(host)
  if (received === host || isAllowedHost(received, [...allowed, ...localHosts])) return
  throw misdirectedHost(received)
}

function misdirectedHost(host: string): HttpError {
  const hint = `The host ${toHostname(host) ?? host} is not served here. Add it to ALLOWED_HOSTS to allow it.`
  return new HttpError('misdirected-request', host ? hint : 'The request has no Host header.')
}

export function assertSameSite(
  raw: IncomingMessage,
  origins: Origins,
  what = 'Cross-site writes',
): void {
  if (isWriteAllowed(raw, origins)) return
  const { origin = '' } = raw.headers
  const named = URL.parse(origin)?.origin === origin ? origin : 'the origin of the page'
  const remedy =
    origin === 'null'
      ? 'The origin null, of a sandboxed page or a file, cannot be allowed.'
      : `Add ${named} to CORS_ORIGINS to allow it. Setting CORS_ORIGINS replaces the default origins.`
  throw new HttpError('cross-site-write', `${what} are blocked. ${remedy}`)
}

function toReceivedHost({ headers }: IncomingMessage): string {
  return headers.host ?? headers[':authority']?.toString() ?? ''
}

function assertForwarding({ host, protocol, raw }: FastifyRequest): void {
  const isForwarded = host !== toReceivedHost(raw)
  if (isForwarded && !isHost(host)) throw badRequest('X-Forwarded-Host is not a valid host.')
  if (!scheme.test(protocol)) throw badRequest('X-Forwarded-Proto must be http or https.')
}

export function assertRequestHead(
  raw: IncomingMessage,
  { maxUrlBytes, maxHeaderBytes }: Pick<Config, 'maxUrlBytes' | 'maxHeaderBytes'>,
): void {
  if (isHttp2(raw)) assertHttp2Head(raw, maxHeaderBytes)
  else assertHttp1Head(raw)
  assertTarget(raw, maxUrlBytes)
  const { expect } = raw.headers
  if (expect !== undefined && !/\b100-continue\b/i.test(expect)) {
    // If a client sends no body after a 417, the next request would be read in its place.
    throw new HttpError('expectation-failed', 'Expect must be 100-continue.')
  }
}

/** RFC 9112 §3.2: exactly one valid Host. Everything that compares origins relies on it. */
function assertHttp1Head({ rawHeaders, headers, httpVersion }: IncomingMessage): void {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    const detail = `HTTP/${httpVersion} is not supported on this connection. Use HTTP/1.1.`
    throw new HttpError('version-not-supported', detail)
  }
  let received: string | undefined
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue
    if (received !== undefined) throw badRequest('The request has more than one Host header.')
    received = rawHeaders[index + 1] ?? ''
  }
  if (received === undefined && httpVersion === '1.1') {
    throw badRequest('The request has no Host header.')
  }
  // The authority of an absolute-form target may have replaced it in `headers`.
  for (const host of [received, headers.host]) {
    if (host !== undefined && !isHost(host)) throw badRequest('Host is not a valid host.')
  }
  if (httpVersion === '1.1' || headers['transfer-encoding'] === undefined) return
  // RFC 9112 §6.1: the length of such a message cannot be trusted.
  throw badFraming('Transfer-Encoding is not valid in HTTP/1.0.')
}

function assertHttp2Head({ headers, rawHeaders }: IncomingMessage, maxHeaderBytes: number): void {
  const { ':authority': authority, host = authority } = headers
  if (!scheme.test(String(headers[':scheme'])))
    throw badRequest('The scheme must be http or https.')
  if (typeof host !== 'string' || !isHost(host)) throw badRequest('The request has no valid host.')
  if (authority !== undefined && host !== authority) throw badRequest('Host and :authority differ.')
  // Node's parser limits HTTP/1.1 only.
  const size = rawHeaders.reduce((sum, text) => sum + text.length, 0)
  if (size > maxHeaderBytes) {
    throw new HttpError(
      'headers-too-large',
      `The headers exceed ${formatNumber(maxHeaderBytes)} bytes (MAX_HEADER_BYTES).`,
    )
  }
}

/** RFC 9112 §3.2. A target that is not a path here has another scheme or userinfo. */
function assertTarget({ url = '', method }: IncomingMessage, maxUrlBytes: number): void {
  if (/^https:/i.test(url)) {
    throw new HttpError('misdirected-request', 'An https: URL cannot be requested over plain HTTP.')
  }
  if (url.includes('#')) throw badRequest('The request target must not have a fragment.')
  if (!url.startsWith('/') && !(url === '*' && method === 'OPTIONS')) {
    throw badRequest('The request target must be a path.')
  }
  if (url.length > maxUrlBytes) {
    throw new HttpError(
      'uri-too-long',
      `The URL is longer than ${formatNumber(maxUrlBytes)} bytes (MAX_URL_BYTES).`,
    )
  }
}

export function parseRequestHead(
  request: FastifyRequest,
  config: Config,
  isRaw: boolean,
): HttpError | undefined {
  return catchHttpError(() => {
    const { raw } = request
    if (!raw.isHeadValid) assertRequestHead(raw, config)
    if (config.trustedProxies.length > 0) assertForwarding(request)
    const error = catchHttpError(() => {
      assertHost(config.allowedHosts, request.host, toReceivedHost(raw))
      assertMemoryLeft()
    })
    if (error && request.routeOptions.config.anyHost !== true) throw error
    // Under raw paths, safe methods store something too.
    const mayWrite = isRaw ? request.method !== 'OPTIONS' : !isSafe(request.method)
    if (mayWrite && request.routeOptions.config.isWrite) {
      if (config.readOnly) throw readOnly()
      if (raw.sandbox?.isReadOnly) throw readOnly(joinedToRead)
    }
    if (isRaw) return
    request.query = raw.target?.getQuery().parameters
    if (isSafe(request.method)) return
    const own = toOrigin(request)
    assertNotUnsafeLink(raw, own, config)
    assertSameSite(raw, { own, others: config.corsOrigins })
  })
}

export const joinedToRead = 'You have joined this sandbox to read. Nothing was changed.'

export function createHeadCheck(config: Config, lacksRoute: (path: string) => Promise<boolean>) {
  const { tlsKey, trustedProxies, corsOrigins: others } = config
  return (raw: IncomingMessage): boolean | Promise<boolean> => {
    const isWaiting = awaitsContinue(raw)
    const error = catchHttpError(() => {
      assertRequestHead(raw, config)
      // The target `*` is valid with one method only, and the body may name another.
      raw.isHeadValid = raw.url !== '*'
      if (trustedProxies.length > 0) return
      assertHost(config.allowedHosts, toReceivedHost(raw))
      // Browsers do not wait for 100, so that the method of the request line decides.
      if (!isWaiting || isSafe(raw.method ?? '') || overrideHeader in raw.headers) return
      const protocol = tlsKey === undefined ? 'http' : 'https'
      assertSameSite(raw, { own: `${protocol}://${toReceivedHost(raw)}`, others })
    })
    if (error || !isWaiting) return error !== undefined
    // A path that cannot be looked up gets its error from the route.
    return lacksRoute(toPath(raw.url ?? '')).catch(() => false)
  }
}

export function catchHttpError(check: () => void): HttpError | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (error instanceof HttpError) return error
    throw error
  }
}
