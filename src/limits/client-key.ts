import { isIPv4, isIPv6 } from 'node:net'

/**
 * What stands for the client in the counters: its address, or that of the peer where a proxy names
 * none that can be read.
 */
export function toClientKey(address: string | undefined, peer: string | undefined): string {
  return toAddressKey(address) ?? toAddressKey(peer) ?? 'unknown'
}

/**
 * An IPv4 address as it is, also where it is written as one of IPv6; of IPv6 the first 64 bits,
 * since whoever has one address there has all of them. Some proxies name the port too. Undefined
 * for what is no address.
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

/** The eight groups, in hexadecimal without leading zeros. */
function toGroups(address: string): string[] {
  const [withoutZone = ''] = address.split('%')
  // One way to write each: in lower case, without dots.
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
