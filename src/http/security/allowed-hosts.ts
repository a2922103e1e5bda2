import { isIP } from 'node:net'
import { remember } from '../remember.ts'

export const localHosts = ['localhost', '*.localhost', 'ip'] as const

/** Without port, in lower case, IP addresses in their shortest form. */
export function toHostname(host: string): string | undefined {
  return URL.parse(`http://${host}`)?.hostname.replace(/\.$/, '')
}

const findHostname = remember((host) => toHostname(host) ?? '')

export function isAllowedHost(host: string, allowedHosts: readonly string[]): boolean {
  if (allowedHosts.includes('*')) return true
  const name = findHostname(host)
  return allowedHosts.some((allowed) => {
    if (allowed === 'ip') return name.startsWith('[') || isIP(name) !== 0
    return allowed.startsWith('*.') ? name.endsWith(allowed.slice(1)) : name === allowed
  })
}

export function isLoopback(host: string): boolean {
  const name = toHostname(isIP(host) === 6 ? `[${host}]` : host) ?? ''
  return /^(127\.[\d.]+|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]+\]|(.+\.)?localhost)$/.test(name)
}
