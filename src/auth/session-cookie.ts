import { parseCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addVary } from '../http/negotiation/negotiate.ts'
import { registerCookie, toOwnCookie } from '../http/security/own-secrets.ts'

export const sessionCookies = registerCookie('session')

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
  const name = sessionCookies[request.protocol]
  return toOwnCookie(request, { name, value: id, maxAge: maxSeconds })
}

export const noSession: SessionCookie = { id: '', maxSeconds: 0 }
