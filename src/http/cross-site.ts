import type { IncomingMessage } from 'node:http'
import { forbidden } from './refusal.ts'

/**
 * Throws a 403 for a request that a page of another site made a browser send. Only for writes;
 * reading is open to all. A client that is no browser sends neither header and passes.
 */
export function refuseCrossSite(
  { headers }: IncomingMessage,
  ownOrigin: string,
  allowedOrigins: readonly string[],
): void {
  const { origin, 'sec-fetch-site': site } = headers
  if (origin !== undefined && allowedOrigins.includes(origin)) return
  const isOurs =
    site === undefined
      ? origin === undefined || isSameOrigin(origin, ownOrigin)
      : site === 'same-origin' || site === 'none'
  if (!isOurs) throw forbidden('Another site may not write here.')
}

export function isOwnReferer(referer: string | undefined, ownOrigin: string): boolean {
  return referer !== undefined && isSameOrigin(referer, ownOrigin)
}

/** Compares scheme, host and port, default ports included; `null` and what is no URL is another. */
function isSameOrigin(url: string, ownOrigin: string): boolean {
  if (!URL.canParse(url) || !URL.canParse(ownOrigin)) return false
  return new URL(url).origin === new URL(ownOrigin).origin
}
