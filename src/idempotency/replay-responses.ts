import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findKey, hashKey, setClaimedId, toFingerprint } from './idempotency-key.ts'
import { addVary } from '../http/negotiation/negotiate.ts'
import { keyInFlight, keyReused } from '../http/errors/http-error.ts'
import { findSessionId } from '../auth/session-cookie.ts'
import type {
  StoredResponse,
  IdempotencyEntries,
} from '../stores/idempotency/idempotency-entries.ts'
import { StoreFailure } from '../stores/store-failure.ts'
import { sweepRegularly } from '../stores/sweep-regularly.ts'
import { changeClaim, endLease, keepLease, claimKey, type HeldEntry } from './claims.ts'

/**
 * Idempotency-Key, on the routes whose config says `replaysAnswers`: the first request with a key is
 * handled, and every further one gets its answer again
 * (draft-ietf-httpapi-idempotency-key-header-06 §2.6).
 */
export function addIdempotencyHooks(app: FastifyInstance, answers: IdempotencyEntries): void {
  const settles = new WeakMap<FastifyRequest, Settle>()
  const takeKey = async (request: FastifyRequest, reply: FastifyReply) => {
    const key = findKey(request)
    if (key === undefined) return undefined
    const keyHash = hashKey(key, findSessionId(request, reply))
    const fingerprint = toFingerprint(key, request)
    const taken = await claimKey(answers, keyHash, fingerprint)
    if ('hold' in taken) {
      setClaimedId(request, taken.hold.claim.recordId)
      settles.set(request, watchResponse(answers, taken.hold, request))
      return undefined
    }
    if (taken.standing.fingerprint !== fingerprint) throw keyReused()
    if (taken.standing.answer === undefined) throw keyInFlight()
    return replayResponse(reply, taken.standing.answer)
  }
  const keepAnswer = async (request: FastifyRequest, reply: FastifyReply, payload: unknown) => {
    const settle = settles.get(request)
    settles.delete(request)
    await settle?.(reply, payload)
    return payload
  }
  app.addHook('onRoute', (route) => {
    if (route.config?.replaysAnswers !== true) return
    route.preHandler = [...[route.preHandler ?? []].flat(), takeKey]
    route.onSend = [keepAnswer, ...[route.onSend ?? []].flat()]
  })
  const sweep = (now: string) => answers.sweep(now)
  sweepRegularly(app, { what: 'expired answers', everySeconds: 600, sweep })
}

type Settle = (reply: FastifyReply, payload: unknown) => Promise<void>

/** Keeps the lease; the returned function puts the answer in its place, before it is sent. */
function watchResponse(
  answers: IdempotencyEntries,
  hold: HeldEntry,
  request: FastifyRequest,
): Settle {
  // Without the answer, a repeated request takes the claim over and finds what this one has made.
  const bear = (error: unknown) => {
    const isFault = !(error instanceof StoreFailure)
    request.server.log[isFault ? 'error' : 'warn'](
      { reqId: request.id, err: error },
      'an answer could not be kept',
    )
  }
  const stopLease = keepLease(answers, hold, bear)
  return async (reply, payload) => {
    await stopLease()
    const answer = toAnswer(reply, payload)
    await settleClaim(answers, hold, { status: reply.statusCode, answer }).catch(bear)
  }
}

async function settleClaim(
  answers: IdempotencyEntries,
  hold: HeldEntry,
  { status, answer }: { status: number; answer: StoredResponse | undefined },
): Promise<void> {
  if (status < 400 && answer) await changeClaim(answers, hold, { answer })
  // Refused before anything was done, so the key is free for the corrected request.
  else if (status >= 400 && status < 500 && hold.isFirst) {
    await answers.remove(hold.keyHash, hold.version)
  }
  // Something may have been done, here or by an attempt before: the id has to stay.
  else await endLease(answers, hold)
}

/** What describes the answer's content and what it did; the rest is of this connection and moment. */
const storedHeaders = [
  'cache-control',
  'content-location',
  'content-type',
  'etag',
  'last-modified',
  'link',
  'location',
  'preference-applied',
  'vary',
] as const

/** Undefined for a stream, which can be read only once. */
function toAnswer(reply: FastifyReply, payload: unknown): StoredResponse | undefined {
  const content = payload ?? ''
  if (typeof content !== 'string' && !Buffer.isBuffer(content)) return undefined
  const fields = storedHeaders.flatMap((name) => {
    const value = reply.getHeader(name)
    return value === undefined ? [] : [[name, String(value)] as const]
  })
  return {
    status: reply.statusCode,
    headers: Object.fromEntries(fields),
    content: Buffer.from(content).toString('base64'),
  }
}

function replayResponse(
  reply: FastifyReply,
  { status, headers, content }: StoredResponse,
): FastifyReply {
  const { vary = '', ...others } = headers
  for (const field of vary.split(', ').filter(Boolean)) addVary(reply, field)
  reply.code(status).headers(others).header('idempotency-replayed', 'true')
  return content === '' ? reply.send() : reply.send(Buffer.from(content, 'base64'))
}
