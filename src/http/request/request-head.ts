import type { FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import type { Config } from '../../config/config.ts'
import { isAllowedHost, localHosts } from '../security/allowed-hosts.ts'
import { isHttp2 } from '../response/framing.ts'
import {
  badRequest,
  expectationFailed,
  headersTooLarge,
  misdirected,
  HttpError,
  uriTooLong,
  versionNotSupported,
} from '../errors/http-error.ts'

/** Whether the text can be a Host (RFC 9110 §7.2): a name or address, and perhaps a port. */
function isHost(text: string): boolean {
  return /^[\w.~!$&'()*+,;=%:[\]-]+$/.test(text) && URL.canParse(`http://${text}`)
}

/** Empty for a request without a host that can be used, so that what follows is a path. */
export function toOrigin({ protocol, host }: FastifyRequest): string {
  return isScheme(protocol) && isHost(host) ? `${protocol}://${host}` : ''
}

function isScheme(text: string): boolean {
  return text === 'http' || text === 'https'
}

/**
 * A page whose name its owner points at this machine would be of our own origin (DNS rebinding). Its
 * script can set X-Forwarded-Host too, so `received`, which came in Host, is judged as well.
 */
export function refuseOtherHosts(
  allowedHosts: readonly string[],
  host = '',
  received = host,
): void {
  // HTTP/1.0, which no browser speaks, may have none.
  if (host !== '' && !isAllowedHost(host, allowedHosts)) throw misdirected(host)
  const receivable = [...allowedHosts, ...localHosts]
  if (received !== host && !isAllowedHost(received, receivable)) throw misdirected(received)
}

/** The host by which the request came, whatever a proxy says. */
export function toReceivedHost({ headers }: IncomingMessage): string {
  return headers.host ?? headers[':authority']?.toString() ?? ''
}

/** Refuses what a trusted proxy says of the request as it was sent, where it cannot be so. */
export function assertForwarding(request: FastifyRequest): void {
  const { host, protocol, raw } = request
  const isForwarded = host !== toReceivedHost(raw)
  if (isForwarded && !isHost(host)) throw badRequest('X-Forwarded-Host names no host.')
  if (!isScheme(protocol)) throw badRequest('X-Forwarded-Proto is neither http nor https.')
}

/**
 * RFC 9112 §3.2: a request without Host, with two, or with one that cannot be a host gets a 400.
 * Everything that compares origins relies on it.
 */
function assertHost(raw: IncomingMessage): void {
  const { rawHeaders, headers, httpVersion } = raw
  if (isHttp2(raw)) {
    // RFC 9113 §8.3.1
    const { ':authority': authority, host = authority } = headers
    const name = authority ?? host
    if (typeof name !== 'string' || !isHost(name)) throw badRequest('There is no host.')
    if (host !== name) throw badRequest('Host and :authority name different hosts.')
    return
  }
  if (httpVersion !== '1.1' && httpVersion !== '1.0') throw versionNotSupported(httpVersion)
  let count = 0
  // The authority of an absolute-form target may have replaced it in `headers`.
  let received = headers.host
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length !== 4 || name.toLowerCase() !== 'host') continue
    count += 1
    received = rawHeaders[index + 1]
  }
  if (count > 1) throw badRequest('There is more than one Host.')
  if (count === 0 && httpVersion === '1.1') throw badRequest('There is no Host.')
  for (const host of new Set([received, headers.host])) {
    if (host !== undefined && !isHost(host)) throw badRequest('Host names no host.')
  }
}

/**
 * RFC 9112 §3.2: a target has no fragment, and the asterisk is for OPTIONS alone. What
 * {@link takeTarget} has not made a path is of another scheme, or has userinfo (RFC 9110 §4.2.4, §7.4).
 */
function assertTarget({ url = '', method }: IncomingMessage, maxUrlBytes: number): void {
  if (/^https:/i.test(url)) throw misdirected('https:')
  if (url.includes('#')) throw badRequest('The target of the request has a fragment.')
  if (!url.startsWith('/') && !(url === '*' && method === 'OPTIONS')) {
    throw badRequest('The target of the request is no path.')
  }
  if (url.length > maxUrlBytes) throw uriTooLong(maxUrlBytes)
}

/** RFC 9112 §6.1: the length of such a message is not to be trusted, nor what follows it. */
function refuseBadFraming({ httpVersion, headers }: IncomingMessage): void {
  if (httpVersion !== '1.0' || headers['transfer-encoding'] === undefined) return
  throw new HttpError(400, 'HTTP/1.0 has no Transfer-Encoding.', {
    headers: { connection: 'close' },
  })
}

/** HTTP/1.1 is limited by Node's parser; over HTTP/2 Node takes whatever fits into memory. */
function assertHeaderSize(raw: IncomingMessage, maxHeaderBytes: number): void {
  if (!isHttp2(raw)) return
  const size = raw.rawHeaders.reduce((sum, text) => sum + text.length, 0)
  if (size > maxHeaderBytes) throw headersTooLarge(maxHeaderBytes)
}

/** RFC 9110 §10.1.1: nothing but 100-continue can be expected. */
function hasUnknownExpectation({ headers: { expect } }: IncomingMessage): boolean {
  return expect !== undefined && !/\b100-continue\b/i.test(expect)
}

/** Refuses a request whose first lines no room should see. */
export function assertRequestHead(
  raw: IncomingMessage,
  { maxUrlBytes, maxHeaderBytes }: Pick<Config, 'maxUrlBytes' | 'maxHeaderBytes'>,
): void {
  assertHost(raw)
  refuseBadFraming(raw)
  assertTarget(raw, maxUrlBytes)
  assertHeaderSize(raw, maxHeaderBytes)
  if (hasUnknownExpectation(raw)) throw expectationFailed()
}
