import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addVary } from '../http/negotiation/negotiate.ts'

export interface SessionCookie {
  id: string
  maxSeconds: number
}

/** RFC 6265bis §4.1.3: browsers accept the prefix only over HTTPS and from this host. */
function toCookieName(request: FastifyRequest): string {
  return request.protocol === 'https' ? '__Host-session' : 'session'
}

export function readSessionId(request: FastifyRequest, reply: FastifyReply): string | undefined {
  addVary(reply, 'Cookie')
  const id = parseCookie(request.headers.cookie ?? '')[toCookieName(request)]
  return id !== undefined && /^[\w-]{43}$/.test(id) ? id : undefined
}

export function toSetCookie(request: FastifyRequest, { id, maxSeconds }: SessionCookie): string {
  return stringifySetCookie({
    name: toCookieName(request),
    value: id,
    maxAge: maxSeconds,
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: request.protocol === 'https',
  })
}

export const removedSession: SessionCookie = { id: '', maxSeconds: 0 }
