import { isIPv4, isIPv6 } from 'node:net'

export function toClientKey(address: string | undefined, peer: string | undefined): string {
  return toAddressKey(address) ?? toAddressKey(peer) ?? 'unknown'
}

/** Of IPv6 the first 64 bits, because a client usually owns them. Some proxies append the port. */
export function toAddressKey(text = ''): string | undefined {
  const address = text.replace(/^([\d.]+):\d+$/, '$1').replace(/^\[(.*)\](:\d+)?$/, '$1')
  if (isIPv4(address)) return address
  if (!isIPv6(address)) return undefined
  // Normalizes to lower case without dots; the zone is no part of a URL.
  const { hostname } = new URL(`http://[${address.replace(/%.*/, '')}]`)
  const [, high, low] = /^\[::ffff:(\w+):(\w+)\]$/.exec(hostname) ?? []
  if (high && low) return `${toBytes(high)}.${toBytes(low)}`
  const [head = [], tail = []] = hostname.split('::').map((part) => part.match(/\w+/g) ?? [])
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(':')}::/64`
}

function toBytes(group: string): string {
  return Buffer.from(group.padStart(4, '0'), 'hex').join('.')
}
