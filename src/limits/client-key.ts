import { isIPv4, isIPv6 } from 'node:net'

/** The key of the client in the counters; the peer's if a proxy sends no valid address. */
export function toClientKey(address: string | undefined, peer: string | undefined): string {
  return toAddressKey(address) ?? toAddressKey(peer) ?? 'unknown'
}

/**
 * IPv4 addresses, also mapped to IPv6, are unchanged. IPv6 addresses are reduced to their first 64
 * bits, because a client usually owns the whole /64. Some proxies append the port.
 */
export function toAddressKey(text = ''): string | undefined {
  const address = text.replace(/^([\d.]+):\d+$/, '$1').replace(/^\[(.*)\](:\d+)?$/, '$1')
  if (isIPv4(address)) return address
  if (!isIPv6(address)) return undefined
  const groups = toGroups(address)
  const isMapped = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff'
  if (isMapped) return groups.slice(6).flatMap(toBytes).join('.')
  return `${groups.slice(0, 4).join(':')}::/64`
}

function toGroups(address: string): string[] {
  const [withoutZone = ''] = address.split('%')
  // Normalizes to lower case without dots.
  const { hostname } = new URL(`http://[${withoutZone}]`)
  const [head = [], tail = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter(Boolean))
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  return [...head, ...zeros, ...tail]
}

function toBytes(group: string): number[] {
  const value = Number.parseInt(group, 16)
  return [value >> 8, value & 0xff]
}
