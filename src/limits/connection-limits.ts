import type { Server } from 'node:http'
import { BlockList, isIPv6 } from 'node:net'
import type { Config } from '../config/config.ts'
import { toAddressKey } from './client-key.ts'

const shortKeepAliveMs = 1000

export function limitConnections(server: Server, config: Config): void {
  const { maxConnections, maxConnectionsPerClient: maxPerClient = Infinity } = config
  const proxies = toBlockList(config.trustedProxies)
  const { keepAliveTimeout } = server
  const counts = new Map<string, number>()
  let total = 0
  const add = (key: string, change: 1 | -1): number => {
    total += change
    server.keepAliveTimeout =
      total < 0.9 * maxConnections ? keepAliveTimeout : Math.min(keepAliveTimeout, shortKeepAliveMs)
    const count = (counts.get(key) ?? 0) + change
    if (count > 0) counts.set(key, count)
    else counts.delete(key)
    return count
  }
  server.on('connection', (socket) => {
    const { remoteAddress: address = '' } = socket
    const key = toAddressKey(address) ?? 'unknown'
    const isOver = add(key, 1) > maxPerClient
    socket.once('close', () => add(key, -1))
    if (isOver && !proxies.check(address, toFamily(address))) socket.destroy()
  })
}

function toBlockList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    const bits = isIPv6(address) ? 128 : 32
    list.addSubnet(address, Number(prefix ?? bits), toFamily(address))
  }
  return list
}

function toFamily(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4'
}
