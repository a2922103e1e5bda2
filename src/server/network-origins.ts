import { networkInterfaces } from 'node:os'
import type { Config } from '../config/config.ts'
import { isAllowedHost } from '../http/security/origins.ts'

/** With a HOST that stands for all addresses: those that other machines of a network can request. */
export function findNetworkOrigins({ host, allowedHosts }: Config, origin: string): string[] {
  if (!/^(0\.0\.0\.0|::)$/.test(host)) return []
  return Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses)
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .filter(({ address }) => isAllowedHost(address, allowedHosts))
    .map(({ address }) => Object.assign(new URL(origin), { hostname: address }).origin)
}
