import type { FastifyReply, FastifyRequest } from 'fastify'
import { addVary } from './negotiate.ts'

/**
 * Whether the request states a preference (RFC 7240 §2), such as `return=minimal`, that the caller
 * will now honour: says so in Preference-Applied.
 */
export function applyPreference(
  request: FastifyRequest,
  reply: FastifyReply,
  preference: string,
): boolean {
  addVary(reply, 'Prefer')
  const stated = String(request.headers.prefer ?? '')
    .toLowerCase()
    .split(/[,;]/)
    .map((part) => part.replaceAll(/[\s"]/g, ''))
  if (!stated.includes(preference)) return false
  reply.header('preference-applied', preference)
  return true
}
