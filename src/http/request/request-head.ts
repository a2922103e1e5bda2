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

/** Whether the text can be a Host (RFC 9110 §7.2). */
function isHost(text: string): boolean {
  return /^[\w.~!$&'()*+,;=%:[\]-]+$/.test(text) && URL.canParse(`http://${text}`)
}

/** Empty without a valid host, so that what is appended is a path. */
export function toOrigin({ protocol, host }: FastifyRequest): string {
  return isScheme(protocol) && isHost(host) ? `${protocol}://${host}` : ''
}

function isScheme(text: string): boolean {
  return text === 'http' || text === 'https'
}

/**
 * Throws 421. A page whose name its owner points at this machine would have our origin (DNS rebinding).
 * Its script can set X-Forwarded-Host too, so `received`, the value of Host, is checked as well.
 */
export function assertHostAllowed(
  allowedHosts: readonly string[],
  host = '',
  received = host,
): void {
  // HTTP/1.0 may omit it; no browser uses that version.
  if (host !== '' && !isAllowedHost(host, allowedHosts)) throw misdirected(host)
  const receivable = [...allowedHosts, ...localHosts]
  if (received !== host && !isAllowedHost(received, receivable)) throw misdirected(received)
}

/** The host as received, not as a proxy forwards it. */
export function toReceivedHost({ headers }: IncomingMessage): string {
  return headers.host ?? headers[':authority']?.toString() ?? ''
}

/** Throws 400 for forwarding headers of a trusted proxy that are not valid. */
export function assertForwarding(request: FastifyRequest): void {
  const { host, protocol, raw } = request
  const isForwarded = host !== toReceivedHost(raw)
  if (isForwarded && !isHost(host)) throw badRequest('X-Forwarded-Host is not a valid host.')
  if (!isScheme(protocol)) throw badRequest('X-Forwarded-Proto must be http or https.')
}

/**
 * RFC 9112 §3.2: a request without Host, with two, or with an invalid one gets 400. Everything that
 * compares origins relies on it.
 */
function assertHost(raw: IncomingMessage): void {
  const { rawHeaders, headers, httpVersion } = raw
  if (isHttp2(raw)) {
    // RFC 9113 §8.3.1
    const { ':authority': authority, host = authority } = headers
    const name = authority ?? host
    if (typeof name !== 'string' || !isHost(name))
      throw badRequest('The request has no valid host.')
    if (host !== name) throw badRequest('Host and :authority differ.')
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
  if (count > 1) throw badRequest('The request has more than one Host header.')
  if (count === 0 && httpVersion === '1.1') throw badRequest('The request has no Host header.')
  for (const host of new Set([received, headers.host])) {
    if (host !== undefined && !isHost(host)) throw badRequest('Host is not a valid host.')
  }
}

/**
 * RFC 9112 §3.2: a target has no fragment, and the asterisk is for OPTIONS alone. A target that is not a
 * path here has another scheme or userinfo (RFC 9110 §4.2.4, §7.4).
 */
function assertTarget({ url = '', method }: IncomingMessage, maxUrlBytes: number): void {
  if (/^https:/i.test(url)) throw misdirected('https:')
  if (url.includes('#')) throw badRequest('The request target must not have a fragment.')
  if (!url.startsWith('/') && !(url === '*' && method === 'OPTIONS')) {
    throw badRequest('The request target must be a path.')
  }
  if (url.length > maxUrlBytes) throw uriTooLong(maxUrlBytes)
}

/** RFC 9112 §6.1: the length of such a message cannot be trusted. */
function assertFraming({ httpVersion, headers }: IncomingMessage): void {
  if (httpVersion !== '1.0' || headers['transfer-encoding'] === undefined) return
  throw new HttpError(400, 'Transfer-Encoding is not valid in HTTP/1.0.', {
    headers: { connection: 'close' },
  })
}

/** Node's parser limits HTTP/1.1 only. */
function assertHeaderSize(raw: IncomingMessage, maxHeaderBytes: number): void {
  if (!isHttp2(raw)) return
  const size = raw.rawHeaders.reduce((sum, text) => sum + text.length, 0)
  if (size > maxHeaderBytes) throw headersTooLarge(maxHeaderBytes)
}

// RFC 9110 §10.1.1
function hasUnknownExpectation({ headers: { expect } }: IncomingMessage): boolean {
  return expect !== undefined && !/\b100-continue\b/i.test(expect)
}

/** Throws for an invalid request line or header section. */
export function assertRequestHead(
  raw: IncomingMessage,
  { maxUrlBytes, maxHeaderBytes }: Pick<Config, 'maxUrlBytes' | 'maxHeaderBytes'>,
): void {
  assertHost(raw)
  assertFraming(raw)
  assertTarget(raw, maxUrlBytes)
  assertHeaderSize(raw, maxHeaderBytes)
  if (hasUnknownExpectation(raw)) throw expectationFailed()
}
