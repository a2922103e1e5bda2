import type { FastifyReply, FastifyRequest } from 'fastify'
import { HttpError } from '../errors/http-error.ts'
import { findPreference } from '../negotiation/negotiate.ts'

/** Throws the error that `Prefer: vitrine-fail=503` asks for. Other values are ignored (RFC 7240 §2). */
export function assertNotToFail(request: FastifyRequest): void {
  const preference = findPreference(request, 'vitrine-fail') ?? ''
  const [, status] = /^vitrine-fail=([45]\d\d)$/.exec(preference) ?? []
  if (status === undefined) return
  const headers = {
    'preference-applied': preference,
    ...(status === '401' && { 'www-authenticate': 'Cookie realm="Vitrine"' }),
    ...(['429', '503'].includes(status) && { 'retry-after': '1' }),
  }
  const detail = 'The request asked for this error with Prefer. Nothing was stored.'
  throw new HttpError(Number(status), detail, { headers })
}

/** The milliseconds of `Prefer: vitrine-delay=1500`, at most those of MAX_DURATION_SECONDS. */
export function findDelayMs(request: FastifyRequest, reply: FastifyReply, maxSeconds: number) {
  const preference = findPreference(request, 'vitrine-delay') ?? ''
  const [, milliseconds] = /^vitrine-delay=(\d+)$/.exec(preference) ?? []
  if (milliseconds === undefined) return 0
  reply.header('preference-applied', preference)
  return Math.min(Number(milliseconds), maxSeconds * 1000)
}
