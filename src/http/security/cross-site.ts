import type { IncomingMessage } from 'node:http'
import { crossSiteWrite } from '../errors/http-error.ts'

export function assertSameSite(
  raw: IncomingMessage,
  ownOrigin: string,
  allowedOrigins: readonly string[],
): void {
  if (!isWriteAllowed(raw, ownOrigin, allowedOrigins)) throw crossSiteWrite(raw.headers.origin)
}

/** Clients other than browsers send neither header. */
export function isWriteAllowed(
  { headers }: IncomingMessage,
  ownOrigin: string,
  allowedOrigins: readonly string[],
): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  if (origin !== undefined && isAllowedOrigin(origin, allowedOrigins)) return true
  return site === undefined
    ? origin === undefined || (isOrigin(origin) && isSameOrigin(origin, ownOrigin))
    : site === 'same-origin' || site === 'none'
}

/** Without userinfo, path or the `*` of a port (RFC 6454 §6.2). */
function isOrigin(text: string): boolean {
  return /^[^/?#@*]+:\/\/[^/?#@*]+$/.test(text) && URL.canParse(text)
}

/** Whether CORS_ORIGINS includes the origin; `:*` stands for any port. */
export function isAllowedOrigin(origin: string, allowedOrigins: readonly string[]): boolean {
  if (!isOrigin(origin)) return false
  const onAnyPort = `${origin.replace(/:\d+$/, '')}:*`
  return allowedOrigins.some((allowed) => allowed === origin || allowed === onAnyPort)
}

export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  )
}

export function isSameOrigin(url: string | undefined, ownOrigin: string): boolean {
  const { origin } = URL.parse(url ?? '') ?? {}
  return origin !== undefined && origin === URL.parse(ownOrigin)?.origin
}
