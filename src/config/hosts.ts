import { isIP } from 'node:net'

export const localHosts = ['localhost', '*.localhost', 'ip'] as const

/** The host is in lower case and has no port; an IP address is in its shortest form. */
export function toHostname(host: string): string | undefined {
  return URL.parse(`http://${host}`)?.hostname.replace(/\.$/, '')
}

export function isLoopback(host: string): boolean {
  const name = toHostname(isIP(host) === 6 ? `[${host}]` : host) ?? ''
  return /^(127\.[\d.]+|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]+\]|(.+\.)?localhost)$/.test(name)
}
