import { parseCookie } from 'cookie'
import type { FastifyRequest } from 'fastify'
import { hash } from 'node:crypto'
import { sessionCookies } from '../http/openapi/document.ts'
import { inspectorCookies } from '../http/security/visitor-response.ts'

/** Shorter values could be guessed. */
const minSecretLength = 16

const toSecret = (text = '') => (text.length < minSecretLength ? undefined : text)

/** `key`: of `X-Inspector`, or else of the cookie that `postKey` sets. */
export function findSecrets({ headers, protocol }: FastifyRequest) {
  const { cookie, 'x-inspector': sent } = headers
  const cookies = cookie === undefined ? {} : parseCookie(cookie)
  const key = typeof sent === 'string' ? sent : cookies[inspectorCookies[protocol]]
  return { session: toSecret(cookies[sessionCookies[protocol]]), key: toSecret(key) }
}

/**
 * Of the session, or else of the key. The exchange of a login belongs to the new session only: someone
 * else may know the id of the session before. A hash, since other processes get it.
 */
export function toOwner(request: FastifyRequest, setCookies?: unknown): string | undefined {
  const { cookie, 'x-inspector': sent } = request.headers
  if ((setCookies ?? cookie ?? sent) === undefined) return undefined
  const started = setCookies === undefined ? undefined : findStarted(request, setCookies)
  const { session, key } = findSecrets(request)
  const secret = started ?? session ?? key
  return secret && hash('sha256', secret, 'base64url')
}

function findStarted({ protocol }: FastifyRequest, setCookies: unknown): string | undefined {
  return [setCookies]
    .flat()
    .map((one) => parseCookie(String(one).split(';', 1)[0] ?? '')[sessionCookies[protocol]])
    .find(Boolean)
}
