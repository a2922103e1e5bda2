import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createHmac, hash } from 'node:crypto'
import { parseItem } from 'structured-headers'
import { readSessionId } from '../auth/session-cookie.ts'
import { maxKeyLength } from '../config/limits.ts'
import { isForm } from '../http/body/body-reader.ts'
import { badRequest, keyInFlight, keyReused } from '../http/errors/http-error.ts'
import { addVary } from '../http/negotiation/negotiate.ts'
import { toPath } from '../http/request/target.ts'
import type { IdempotencyEntries, StoredResponse } from '../stores/idempotency/idempotency.ts'
import { StoreFailure } from '../stores/store-failure.ts'
import { sweepRegularly } from '../stores/sweep-regularly.ts'
import { leaseKey, renewLease } from './leases.ts'
import { delay } from '../timers.ts'

const claimedIds = new WeakMap<FastifyRequest, string>()

/** If a record with this id exists, an earlier attempt at the same request has created it. */
export function findClaimedId(request: FastifyRequest): string | undefined {
  return claimedIds.get(request)
}

/** Tests of clients can ask for the loss of a response that is stored. */
interface LostResponses {
  /** Throws 400 for a request without a key that asks for it. */
  assertNotToLose?: (request: FastifyRequest) => void
  loseResponse?: (reply: FastifyReply) => Promise<void>
}

/** draft-ietf-httpapi-idempotency-key-header-06 §2.6 */
export function addIdempotencyHooks(
  app: FastifyInstance,
  entries: IdempotencyEntries,
  { assertNotToLose, loseResponse }: LostResponses,
): void {
  const finishers = new WeakMap<FastifyRequest, ReturnType<typeof renewLease>>()
  const checkKey = async (request: FastifyRequest, reply: FastifyReply) => {
    const key = findKey(request)
    if (key === undefined) return assertNotToLose?.(request)
    const owner = readSessionId(request, reply) ?? ''
    const keyHash = hash('sha256', JSON.stringify([owner, key]))
    const fingerprint = hashRequest(key, request)
    const lease = await leaseKey(entries, keyHash, fingerprint)
    const { isLeased, entry } = lease
    if (!isLeased) {
      if (entry.fingerprint !== fingerprint) throw keyReused()
      const response = entry.answer ?? (isForm(request) && (await awaitResponse(entries, keyHash)))
      if (!response) throw keyInFlight()
      return replayResponse(reply, response)
    }
    claimedIds.set(request, entry.recordId)
    finishers.set(request, renewLease(entries, lease, logFailure.bind(undefined, request)))
    return undefined
  }
  const storeResponse = async (request: FastifyRequest, reply: FastifyReply, payload: unknown) => {
    const finish = finishers.get(request)
    if (finish === undefined) return payload
    finishers.delete(request)
    const stored = toStoredResponse(reply, payload)
    await finish(reply.statusCode, stored)
    if (stored) await loseResponse?.(reply)
    return payload
  }
  app.addHook('onRoute', (route) => {
    if (route.config?.acceptsIdempotencyKey !== true) return
    route.preHandler = [...[route.preHandler ?? []].flat(), checkKey]
    route.onSend = [storeResponse, ...[route.onSend ?? []].flat()]
  })
  sweepRegularly(app, { name: 'expired idempotency keys', everySeconds: 600, sweep: entries.sweep })
}

/** A browser that sends a form twice shows the response to the second request. */
async function awaitResponse(entries: IdempotencyEntries, keyHash: string) {
  for (let checks = 0; checks < 20; checks += 1) {
    await delay(100)
    const entry = await entries.find(keyHash)
    if (!entry || entry.answer) return entry?.answer
  }
  return undefined
}

// Most clients send a UUID without quotes, which is not a Structured Field.
const bareKey = /^[!#-+\--:<-~]+$/

/** A string of Structured Fields (draft-ietf-httpapi-idempotency-key-header §2.1) or a bare word. */
function findKey(request: FastifyRequest): string | undefined {
  const field = request.headers['idempotency-key']
  if (field === undefined) return undefined
  const text = [field].flat().join(', ').trim()
  const key = bareKey.test(text) ? text : parseString(text)
  if (key !== undefined && key !== '' && key.length <= maxKeyLength) return key
  throw badRequest(
    `Idempotency-Key must be a quoted string or a word, of 1 to ${String(maxKeyLength)} characters.`,
  )
}

function parseString(text: string): string | undefined {
  try {
    const value: unknown = parseItem(text)[0]
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}

/** An HMAC with the key, which is not stored, so that a password in the body cannot be guessed. */
function hashRequest(key: string, request: FastifyRequest): string {
  const { method, url, query, body } = request
  const content = JSON.stringify([method, toPath(url), query, body])
  return createHmac('sha256', key).update(content).digest('hex')
}

/** If no response is stored, a repeated request takes the entry over and finds the created record. */
function logFailure({ id, server }: FastifyRequest, error: unknown): void {
  const level = error instanceof StoreFailure ? 'warn' : 'error'
  server.log[level]({ reqId: id, err: error }, 'the response could not be stored')
}

/** Other headers belong to one connection or one moment, and are not repeated. */
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

function replayResponse(reply: FastifyReply, { status, headers, content }: StoredResponse) {
  const { vary = '', ...others } = headers
  for (const field of vary.split(', ').filter(Boolean)) addVary(reply, field)
  reply.code(status).headers(others).header('idempotency-replayed', 'true')
  return content === '' ? reply.send() : reply.send(Buffer.from(content, 'base64'))
}
