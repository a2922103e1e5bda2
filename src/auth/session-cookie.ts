import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addVary } from '../http/negotiation/negotiate.ts'

/** RFC 6265bis §4.1.3: browsers accept the prefix only over HTTPS and from this host. */
function toName(request: FastifyRequest): string {
  return request.protocol === 'https' ? '__Host-session' : 'session'
}

// The format of createSessionId.
const sessionId = /^[A-Za-z0-9_-]{43}$/

export function findSessionId(request: FastifyRequest, reply: FastifyReply): string | undefined {
  addVary(reply, 'Cookie')
  const id = parseCookie(request.headers.cookie ?? '')[toName(request)]
  return id !== undefined && sessionId.test(id) ? id : undefined
}

interface SessionCookie {
  id: string
  maxSeconds: number
}

export function toSetCookie(request: FastifyRequest, { id, maxSeconds }: SessionCookie): string {
  return stringifySetCookie({
    name: toName(request),
    value: id,
    maxAge: maxSeconds,
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: request.protocol === 'https',
  })
}

/** Without a session the cookie is removed. */
export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  session: SessionCookie | undefined,
): void {
  reply.header('set-cookie', toSetCookie(request, session ?? { id: '', maxSeconds: 0 }))
}
