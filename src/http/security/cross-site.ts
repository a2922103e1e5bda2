import type { IncomingMessage } from 'node:http'
import { crossSiteWrite } from '../errors/http-error.ts'

/**
 * Throws a 403 for a request that a page of another site made a browser send. Only for writes;
 * reading is open to all. A client that is no browser sends neither header and passes.
 */
export function assertSameSite(
  raw: IncomingMessage,
  ownOrigin: string,
  allowedOrigins: readonly string[],
): void {
  if (!isWriteAllowed(raw, ownOrigin, allowedOrigins)) throw crossSiteWrite(raw.headers.origin)
}

/** Whether a write from where this request comes from is let in. */
export function isWriteAllowed(
  { headers }: IncomingMessage,
  ownOrigin: string,
  allowedOrigins: readonly string[],
): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  if (origin !== undefined && isAllowedOrigin(origin, allowedOrigins)) return true
  return site === undefined
    ? origin === undefined || isSameOrigin(origin, ownOrigin)
    : site === 'same-origin' || site === 'none'
}

/** Whether the origin is one that CORS_ORIGINS names, where `:*` stands for any port. */
export function isAllowedOrigin(origin: string, allowedOrigins: readonly string[]): boolean {
  const onAnyPort = `${origin.replace(/:\d+$/, '')}:*`
  return allowedOrigins.some((allowed) => allowed === origin || allowed === onAnyPort)
}

/** Whether a browser asks beforehand, for a script of another site, what it may send (Fetch). */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  )
}

export function isOwnReferer(referer: string | undefined, ownOrigin: string): boolean {
  return referer !== undefined && isSameOrigin(referer, ownOrigin)
}

/** Compares scheme, host and port, default ports included; `null` and what is no URL is another. */
function isSameOrigin(url: string, ownOrigin: string): boolean {
  if (!URL.canParse(url) || !URL.canParse(ownOrigin)) return false
  return new URL(url).origin === new URL(ownOrigin).origin
}
