import type { FastifyRequest } from 'fastify'
import { isIP } from 'node:net'

/** Some proxies append the port. */
export function parseAddress(text = ''): string | undefined {
  const address = text.replace(/^([\d.]+):\d+$/, '$1').replace(/^\[(.*)\](:\d+)?$/, '$1')
  return isIP(address) === 0 ? undefined : address
}

/** That of the connection if a trusted proxy forwards something else. */
export function toClientAddress({ ip, socket }: FastifyRequest): string {
  const { remoteAddress = '' } = socket
  return ip === remoteAddress ? ip : (parseAddress(ip) ?? remoteAddress)
}
