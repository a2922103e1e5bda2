import { isIP } from 'node:net'

/** Hosts that always are this machine; others cannot point such a name at it. */
export const localHosts = ['localhost', '*.localhost', 'ip'] as const

/** Without port, in lower case, IP addresses in their shortest form; undefined for an invalid host. */
export function toHostname(host: string): string | undefined {
  return URL.parse(`http://${host}`)?.hostname.replace(/\.$/, '')
}

export function isAllowedHost(host: string, allowedHosts: readonly string[]): boolean {
  if (allowedHosts.includes('*')) return true
  const name = toHostname(host) ?? ''
  return allowedHosts.some((allowed) => {
    if (allowed === 'ip') return name.startsWith('[') || isIP(name) !== 0
    return allowed.startsWith('*.') ? name.endsWith(allowed.slice(1)) : name === allowed
  })
}

/** Whether only this machine can reach the host: `127.0.0.1`, `127.1`, `::1`, `localhost`. */
export function isLoopback(host: string): boolean {
  const name = toHostname(isIP(host) === 6 ? `[${host}]` : host) ?? ''
  return /^(127\.[\d.]+|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]+\]|(.+\.)?localhost)$/.test(name)
}
