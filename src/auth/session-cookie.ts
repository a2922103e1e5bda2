import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addVary } from '../http/negotiation/negotiate.ts'

/**
 * RFC 6265bis §4.1.3: a browser takes a cookie of the prefixed name over HTTPS alone, and from this
 * very host.
 */
function toName(request: FastifyRequest): string {
  return request.protocol === 'https' ? '__Host-session' : 'session'
}

// As createSessionId makes them; whatever else a client sends is no session.
const sessionId = /^[A-Za-z0-9_-]{43}$/

/** The session id that the client has sent, if it can be one. */
export function findSessionId(request: FastifyRequest, reply: FastifyReply): string | undefined {
  addVary(reply, 'Cookie')
  const id = parseCookie(request.headers.cookie ?? '')[toName(request)]
  return id !== undefined && sessionId.test(id) ? id : undefined
}

interface SessionCookie {
  id: string
  maxSeconds: number
}

/** The Set-Cookie field that gives the client of this connection a session id to keep. */
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

/** Gives the client a session id to keep, or with `undefined` takes it away. */
export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  session: SessionCookie | undefined,
): void {
  reply.header('set-cookie', toSetCookie(request, session ?? { id: '', maxSeconds: 0 }))
}
