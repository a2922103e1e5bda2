import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addVary } from '../http/negotiation/negotiate.ts'
import { sessionCookies } from '../http/openapi/document.ts'

export interface SessionCookie {
  id: string
  maxSeconds: number
}

export function readSessionId(request: FastifyRequest, reply: FastifyReply): string | undefined {
  addVary(reply, 'Cookie')
  const id = parseCookie(request.headers.cookie ?? '')[sessionCookies[request.protocol]]
  return id !== undefined && /^[\w-]{43}$/.test(id) ? id : undefined
}

export function toSetCookie(request: FastifyRequest, { id, maxSeconds }: SessionCookie): string {
  return stringifySetCookie({
    name: sessionCookies[request.protocol],
    value: id,
    maxAge: maxSeconds,
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: request.protocol === 'https',
  })
}

export const removedSession: SessionCookie = { id: '', maxSeconds: 0 }
