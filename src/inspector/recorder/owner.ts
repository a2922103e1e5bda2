import { parseCookie } from 'cookie'
import type { FastifyRequest } from 'fastify'
import { hash } from 'node:crypto'
import { sessionCookies } from '../../auth/session-cookie.ts'
import { badRequest, type HttpError } from '../../http/errors/http-error.ts'
import { registerCookie } from '../../http/security/own-secrets.ts'

export const inspectorCookies = registerCookie('inspector')

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

/** Otherwise the requests would be in no list, and the client would not know why. */
export function findKeyError(request: FastifyRequest): HttpError | undefined {
  const { 'x-inspector': sent } = request.headers
  if (sent === undefined || toSecret(String(sent)) !== undefined) return undefined
  if (request.routeOptions.config.isUnrecorded) return undefined
  return badRequest('The key in X-Inspector must have at least 16 characters.')
}

/**
 * The owner is a hash, since other processes get it, of the key that the client chose, or else of the session. The
 * exchanges of a sandbox are of all who know it. The
 * exchange of a login without a key belongs to the new session only: someone else may know the id of the session
 * before.
 */
export function hashOwner(request: FastifyRequest, setCookies?: unknown): string | undefined {
  const started = setCookies === undefined ? undefined : findStarted(request, setCookies)
  const { session, key } = findSecrets(request)
  const { sandbox } = request.raw
  const secret = key ?? (sandbox?.tokens && sandbox.id) ?? started ?? session
  const owner = secret && hash('sha256', secret, 'base64url')
  return sandbox ? `${owner ?? ''}.${sandbox.id}` : owner
}

function findStarted({ protocol }: FastifyRequest, setCookies: unknown): string | undefined {
  return [setCookies]
    .flat()
    .map((one) => parseCookie(String(one).split(';', 1)[0] ?? '')[sessionCookies[protocol]])
    .find(Boolean)
}
