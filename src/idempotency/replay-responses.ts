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
import { changeEntry, endLease, leaseKey, renewLease, type LeasedEntry } from './leases.ts'

/**
 * Idempotency-Key on the routes with `acceptsIdempotencyKey`: only the first request with a key is
 * handled; others get its response (draft-ietf-httpapi-idempotency-key-header-06 §2.6).
 */
export function addIdempotencyHooks(app: FastifyInstance, entries: IdempotencyEntries): void {
  const finishers = new WeakMap<FastifyRequest, Finish>()
  const checkKey = async (request: FastifyRequest, reply: FastifyReply) => {
    const key = findKey(request)
    if (key === undefined) return undefined
    const keyHash = hashKey(key, findSessionId(request, reply))
    const fingerprint = toFingerprint(key, request)
    const result = await leaseKey(entries, keyHash, fingerprint)
    if ('leased' in result) {
      setClaimedId(request, result.leased.entry.recordId)
      finishers.set(request, holdLease(entries, result.leased, request))
      return undefined
    }
    if (result.existing.fingerprint !== fingerprint) throw keyReused()
    if (result.existing.answer === undefined) throw keyInFlight()
    return replayResponse(reply, result.existing.answer)
  }
  const storeResponse = async (request: FastifyRequest, reply: FastifyReply, payload: unknown) => {
    const finish = finishers.get(request)
    finishers.delete(request)
    await finish?.(reply, payload)
    return payload
  }
  app.addHook('onRoute', (route) => {
    if (route.config?.acceptsIdempotencyKey !== true) return
    route.preHandler = [...[route.preHandler ?? []].flat(), checkKey]
    route.onSend = [storeResponse, ...[route.onSend ?? []].flat()]
  })
  const sweep = (now: string) => entries.sweep(now)
  sweepRegularly(app, { what: 'expired idempotency keys', everySeconds: 600, sweep })
}

type Finish = (reply: FastifyReply, payload: unknown) => Promise<void>

/** Renews the lease until the returned function stores the response, before it is sent. */
function holdLease(
  entries: IdempotencyEntries,
  leased: LeasedEntry,
  request: FastifyRequest,
): Finish {
  // Without a stored response, a repeated request takes the entry over and finds the created record.
  const logFailure = (error: unknown) => {
    const level = error instanceof StoreFailure ? 'warn' : 'error'
    const context = { reqId: request.id, err: error }
    request.server.log[level](context, 'the response could not be stored')
  }
  const stopRenewing = renewLease(entries, leased, logFailure)
  return async (reply, payload) => {
    await stopRenewing()
    await finishEntry(entries, leased, reply, payload).catch(logFailure)
  }
}

async function finishEntry(
  entries: IdempotencyEntries,
  leased: LeasedEntry,
  reply: FastifyReply,
  payload: unknown,
): Promise<void> {
  const status = reply.statusCode
  const answer = status < 400 ? toStoredResponse(reply, payload) : undefined
  if (answer) await changeEntry(entries, leased, { answer })
  // Nothing was done, so the corrected request can use the key.
  else if (status >= 400 && status < 500 && leased.isFirst) {
    await entries.remove(leased.keyHash, leased.version)
  }
  // Something may have been done, so the entry must keep its record id.
  else await endLease(entries, leased)
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

/** Undefined for a stream, which can be read only once. */
function toStoredResponse(reply: FastifyReply, payload: unknown): StoredResponse | undefined {
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
