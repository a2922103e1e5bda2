import type { FastifyReply, FastifyRequest } from 'fastify'
import { once } from 'node:events'
import { HttpError } from '../errors/http-error.ts'
import { addMember, findPreference } from '../negotiation/negotiate.ts'
import { recordExtras } from '../recording.ts'
import { isClosed } from '../response/finish-responses.ts'
import { isHttp2 } from './target.ts'

/** Throws the error that `Prefer: vitrine-fail=503` asks for. Other values are ignored (RFC 7240 §2). */
export function assertNotToFail(request: FastifyRequest): void {
  const preference = findPreference(request, 'vitrine-fail') ?? ''
  const [, status] = /^vitrine-fail=([45]\d\d)$/.exec(preference) ?? []
  if (status === undefined) return
  const headers = {
    'preference-applied': [preference, findDelay(request)?.preference].filter(Boolean).join(', '),
    ...(status === '401' && { 'www-authenticate': 'Cookie realm="Vitrine"' }),
    ...(['429', '503'].includes(status) && { 'retry-after': '1' }),
  }
  const detail = 'The request asked for this error with Prefer. Nothing was stored.'
  throw new HttpError(Number(status), detail, { headers })
}

/** Continues after the milliseconds of `Prefer: vitrine-delay=1500`, at most MAX_DURATION_SECONDS. */
export function delayRequest(reply: FastifyReply, maxSeconds: number, next: () => void): void {
  const { request, raw } = reply
  const delay = findDelay(request)
  if (delay === undefined) {
    next()
    return
  }
  addMember(reply, 'preference-applied', delay.preference)
  const continueLater = () => {
    // The request is carried out, as it would be if the client had left a moment later.
    raw.isAbandoned = !isHttp2(request.raw) && request.raw.socket.readableEnded
    next()
  }
  setTimeout(continueLater, Math.min(delay.milliseconds, maxSeconds * 1000))
}

function findDelay(request: FastifyRequest) {
  const preference = findPreference(request, 'vitrine-delay') ?? ''
  const [, milliseconds] = /^vitrine-delay=(\d+)$/.exec(preference) ?? []
  return milliseconds === undefined ? undefined : { preference, milliseconds: Number(milliseconds) }
}

const losing = 'vitrine-lose-response'

/** Closes the connection in place of the response, if `Prefer: vitrine-lose-response` asks for it. */
export async function loseResponse(request: FastifyRequest, { raw }: FastifyReply): Promise<void> {
  if (findPreference(request, losing) !== losing || isClosed(raw)) return
  recordExtras(request.raw, { fault: losing })
  const closed = once(raw, 'close')
  raw.destroy()
  await closed
}
