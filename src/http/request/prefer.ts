import type { FastifyReply, FastifyRequest } from 'fastify'
import { addVary } from '../negotiation/negotiate.ts'

/** Whether the request has the preference (RFC 7240 §2). The first of several with one name counts. */
export function applyPreference(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  preference: string,
): boolean {
  addVary(reply, 'Prefer')
  const [name] = preference.split('=', 1)
  const stated = String(headers.prefer ?? '')
    .split(',')
    .map((part) => part.toLowerCase().split(';', 1)[0]?.replaceAll(/[\s"]/g, ''))
    .find((part) => part?.split('=', 1)[0] === name)
  if (stated !== preference) return false
  reply.header('preference-applied', preference)
  return true
}
