import { parseCookie } from 'cookie'
import type { FastifyRequest } from 'fastify'
import { hash } from 'node:crypto'
import { sessionCookies } from '../http/openapi/document.ts'

/** Shorter values could be guessed. */
const minSecretLength = 16

/**
 * Of the session cookie, or else of `X-Inspector`. The exchange of a login belongs to the new session
 * only: someone else may know the id of the session before. A hash, since other processes get it.
 */
export function toOwner(request: FastifyRequest, setCookies?: unknown): string | undefined {
  const { cookie, 'x-inspector': sent } = request.headers
  if ((setCookies ?? cookie ?? sent) === undefined) return undefined
  const name = sessionCookies[request.protocol]
  const started = setCookies === undefined ? undefined : findSession(name, setCookies)
  const session = cookie === undefined ? undefined : parseCookie(cookie)[name]
  const secret = started ?? session ?? (typeof sent === 'string' ? sent : '')
  return secret.length < minSecretLength ? undefined : hash('sha256', secret, 'base64url')
}

function findSession(name: string, setCookies: unknown): string | undefined {
  return [setCookies]
    .flat()
    .map((one) => parseCookie(String(one).split(';', 1)[0] ?? '')[name])
    .find(Boolean)
}
