import type { FastifyReply, FastifyRequest } from 'fastify'
import { addMember, addVary } from './negotiate.ts'

/** Whether the request has the preference (RFC 7240 §2). The first of several with one name counts. */
export function applyPreference(
  request: FastifyRequest,
  reply: FastifyReply,
  preference: string,
): boolean {
  addVary(reply, 'Prefer')
  const [name = ''] = preference.split('=', 1)
  if (findPreference(request, name) !== preference) return false
  addMember(reply, 'preference-applied', preference)
  return true
}

export function findPreference(request: FastifyRequest, name: string): string | undefined {
  return listPreferences(request).find((part) => part.split('=', 1)[0] === name)
}

export function listPreferences({ headers: { prefer } }: FastifyRequest): string[] {
  const parts = prefer === undefined ? [] : String(prefer).toLowerCase().split(',')
  return parts.map((part) => part.replace(/;.*/s, '').replaceAll(/[\s"]/g, ''))
}
