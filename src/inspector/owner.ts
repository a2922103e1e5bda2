import { parseCookie } from 'cookie'
import type { FastifyRequest } from 'fastify'
import { hash } from 'node:crypto'
import { sessionCookies } from '../http/openapi/document.ts'

/** Shorter values could be guessed. */
const minSecretLength = 16

/** Of the session cookie, or else of `X-Inspector`: a hash, since exchanges are sent to other processes. */
export function toOwner({ headers, protocol }: FastifyRequest): string | undefined {
  const { cookie, 'x-inspector': sent } = headers
  const session = cookie === undefined ? undefined : parseCookie(cookie)[sessionCookies[protocol]]
  const secret = session ?? (typeof sent === 'string' ? sent : '')
  return secret.length < minSecretLength ? undefined : hash('sha256', secret, 'base64url')
}
