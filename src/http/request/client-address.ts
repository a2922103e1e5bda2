import type { FastifyRequest } from 'fastify'
import { isIP } from 'node:net'

export function parseAddress(text = ''): string | undefined {
  const address = text.replace(/^([\d.]+):\d+$/, '$1').replace(/^\[(.*)\](:\d+)?$/, '$1')
  return isIP(address) === 0 ? undefined : address
}

/** A proxy can forward anything: what is no address is replaced by that of the connection. */
export function toClientAddress({ ip, socket }: FastifyRequest): string {
  const { remoteAddress = '' } = socket
  return ip === remoteAddress ? ip : (parseAddress(ip) ?? remoteAddress)
}
