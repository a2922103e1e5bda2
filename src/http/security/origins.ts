import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { toHostname } from '../../config/hosts.ts'
import { remember } from '../remember.ts'

const findHostname = remember((host) => toHostname(host) ?? '')

export function isAllowedHost(host: string, allowedHosts: readonly string[]): boolean {
  if (allowedHosts.includes('*')) return true
  const name = findHostname(host)
  return allowedHosts.some((allowed) => {
    if (allowed === 'ip') return name.startsWith('[') || isIP(name) !== 0
    return allowed.startsWith('*.') ? name.endsWith(allowed.slice(1)) : name === allowed
  })
}

export interface Origins {
  own: string
  others: readonly string[]
}

/** Clients other than browsers send neither header. */
export function isWriteAllowed({ headers }: IncomingMessage, { own, others }: Origins): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  if (origin !== undefined && isAllowedOrigin(origin, others)) return true
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  return origin === undefined || (isOrigin(origin) && isSameOrigin(origin, own))
}

/** The origin has no userinfo, no path and no `*` of a port (RFC 6454 §6.2). */
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
