import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findSessionId } from '../auth/session-cookie.ts'
import { keyInFlight, keyReused } from '../http/errors/http-error.ts'
import { addVary } from '../http/negotiation/negotiate.ts'
import type { IdempotencyEntries, StoredResponse } from '../stores/idempotency/idempotency.ts'
import { StoreFailure } from '../stores/store-failure.ts'
import { sweepRegularly } from '../stores/sweep-regularly.ts'
import { claimedIds, findKey, hashKey, toFingerprint } from './idempotency-key.ts'
import { leaseKey, renewLease } from './leases.ts'

/** draft-ietf-httpapi-idempotency-key-header-06 §2.6 */
export function addIdempotencyHooks(app: FastifyInstance, entries: IdempotencyEntries): void {
  const finishers = new WeakMap<FastifyRequest, ReturnType<typeof renewLease>>()
  const checkKey = async (request: FastifyRequest, reply: FastifyReply) => {
    const key = findKey(request)
    if (key === undefined) return undefined
    const keyHash = hashKey(key, findSessionId(request, reply))
    const fingerprint = toFingerprint(key, request)
    const lease = await leaseKey(entries, keyHash, fingerprint)
    const { isLeased, entry } = lease
    if (!isLeased) {
      if (entry.fingerprint !== fingerprint) throw keyReused()
      if (entry.answer === undefined) throw keyInFlight()
      return replayResponse(reply, entry.answer)
    }
    claimedIds.set(request, entry.recordId)
    finishers.set(request, renewLease(entries, lease, logFailure.bind(undefined, request)))
    return undefined
  }
  const storeResponse = async (request: FastifyRequest, reply: FastifyReply, payload: unknown) => {
    const finish = finishers.get(request)
    finishers.delete(request)
    await finish?.(reply.statusCode, toStoredResponse(reply, payload))
    return payload
  }
  app.addHook('onRoute', (route) => {
    if (route.config?.acceptsIdempotencyKey !== true) return
    route.preHandler = [...[route.preHandler ?? []].flat(), checkKey]
    route.onSend = [storeResponse, ...[route.onSend ?? []].flat()]
  })
  sweepRegularly(app, { what: 'expired idempotency keys', everySeconds: 600, sweep: entries.sweep })
}

/** Without a stored response, a repeated request takes the entry over and finds the created record. */
function logFailure({ id, server }: FastifyRequest, error: unknown): void {
  const level = error instanceof StoreFailure ? 'warn' : 'error'
  server.log[level]({ reqId: id, err: error }, 'the response could not be stored')
}

/** The other headers belong to the connection or the moment. */
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

function toStoredResponse(reply: FastifyReply, payload: unknown): StoredResponse | undefined {
  const content = payload ?? ''
  if (reply.statusCode >= 400) return undefined
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
