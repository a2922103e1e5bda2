import { networkInterfaces } from 'node:os'
import type { Config } from '../config/config.ts'
import { isAllowedHost } from '../http/security/origins.ts'

/** If HOST stands for all addresses: the origins at which other machines reach the service. */
export function findNetworkOrigins({ host, allowedHosts }: Config, origin: string): string[] {
  if (!/^(0\.0\.0\.0|::)$/.test(host)) return []
  return Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses)
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .filter(({ address }) => isAllowedHost(address, allowedHosts))
    .map(({ address }) => Object.assign(new URL(origin), { hostname: address }).origin)
}
