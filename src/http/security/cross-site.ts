import type { IncomingMessage } from 'node:http'
import { crossSiteWrite } from '../errors/http-error.ts'

export interface Origins {
  own: string
  others: readonly string[]
}

export function assertSameSite(raw: IncomingMessage, origins: Origins): void {
  if (!isWriteAllowed(raw, origins)) throw crossSiteWrite(raw.headers.origin)
}

/** Clients other than browsers send neither header. */
export function isWriteAllowed({ headers }: IncomingMessage, { own, others }: Origins): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  if (origin !== undefined && isAllowedOrigin(origin, others)) return true
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  return origin === undefined || (isOrigin(origin) && isSameOrigin(origin, own))
}

/** Without userinfo, path or the `*` of a port (RFC 6454 §6.2). */
function isOrigin(text: string): boolean {
  return /^[^/?#@*]+:\/\/[^/?#@*]+$/.test(text) && URL.canParse(text)
}

export function isAllowedOrigin(origin: string, allowedOrigins: readonly string[]): boolean {
  if (!isOrigin(origin)) return false
  const onAnyPort = `${origin.replace(/:\d+$/, '')}:*`
  return allowedOrigins.some((allowed) => allowed === origin || allowed === onAnyPort)
}

export function isPreflight({ method, headers }: IncomingMessage): boolean {
  const { origin, 'access-control-request-method': requested } = headers
  return method === 'OPTIONS' && origin !== undefined && requested !== undefined
}

export function isSameOrigin(url: string | undefined, ownOrigin: string): boolean {
  const { origin } = URL.parse(url ?? '') ?? {}
  return origin !== undefined && origin === URL.parse(ownOrigin)?.origin
}
