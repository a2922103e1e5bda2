import type { FastifyReply, FastifyRequest } from 'fastify'
import { once } from 'node:events'
import type { Config } from '../config/config.ts'
import { badRequest, HttpError } from '../http/errors/http-error.ts'
import { challenge, retrySoon } from '../http/errors/problem-types.ts'
import { addMember, addVary } from '../http/negotiation/negotiate.ts'
import { findPreference, listPreferences } from '../http/negotiation/prefer.ts'
import { recordExtras } from '../http/recording.ts'
import { isClosed } from '../http/response/observe-response.ts'
import { wait } from '../http/response/pacing.ts'
import { catchHttpError } from '../http/request/request-head.ts'
import { isHttp2, isUnder } from '../http/request/target.ts'
import { setTimeout } from '../timers.ts'

const losing = 'vitrine-lose-response'

const listOwn = (request: FastifyRequest) =>
  listPreferences(request).filter((preference) => preference.startsWith('vitrine-'))

const known = /^vitrine-(fail=[45]\d\d|delay=\d+|lose-response(=stall)?)$/

type ApplyFailure = (
  reply: FastifyReply,
  next: Continue,
  error: Error | undefined,
  isRaw: boolean,
) => void
type Continue = (error?: Error) => void

/** What `Prefer: vitrine-…` asks for. Without TEST_API, nothing is applied. */
export function createRequestedFailures({ testApi, maxDurationSeconds }: Config) {
  if (!testApi) return { apply: skip, findHint }
  const apply: ApplyFailure = (reply, next, error, isRaw) => {
    if (isRaw) reportIgnored(reply, 'delay')
    const asked = isRaw
      ? undefined
      : catchHttpError(() => {
          assertNotToFail(reply.request)
        })
    delayRequest(reply, maxDurationSeconds, next.bind(undefined, error ?? asked))
  }
  return {
    apply,
    findHint: () => undefined,
    assertNotToLose,
    loseResponse: (reply: FastifyReply) => loseResponse(reply, maxDurationSeconds),
  }
}

const findHint = (path: string) =>
  isUnder('/_vitrine', path) ? 'Resets and snapshots need --test-api (TEST_API).' : undefined

const skip: ApplyFailure = (reply, next, error) => {
  reportIgnored(reply, '')
  next(error)
}

/** Throws 400 for an own preference that cannot be applied, unlike RFC 7240 §2: a test would pass without its failure. */
function assertNotToFail(request: FastifyRequest): void {
  const unknown = listOwn(request).find((preference) => !known.test(preference))
  if (unknown !== undefined) {
    const possible = `vitrine-fail=400 to vitrine-fail=599, vitrine-delay=1500 (milliseconds), ${losing} and ${losing}=stall`
    throw badRequest(`The preference ${unknown} is not valid. Possible are ${possible}.`)
  }
  if (request.routeOptions.config.acceptsIdempotencyKey !== true) assertNotToLose(request)
  const preference = findPreference(request, 'vitrine-fail') ?? ''
  const [, status] = /^vitrine-fail=(\d+)$/.exec(preference) ?? []
  if (status === undefined) return
  const headers = {
    'preference-applied': [preference, findDelay(request)?.preference].filter(Boolean).join(', '),
    ...(status === '401' && challenge),
    ...(['429', '503'].includes(status) && retrySoon),
  }
  const detail = 'The request asked for this error with Prefer. Nothing was stored.'
  throw new HttpError(Number(status), detail, { headers })
}

/** Continues after the milliseconds of `Prefer: vitrine-delay=1500`, at most MAX_DURATION_SECONDS. */
function delayRequest(reply: FastifyReply, maxSeconds: number, next: () => void): void {
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

/** Only the responses to requests with a key are stored, and can be lost without harm. */
function assertNotToLose(request: FastifyRequest): void {
  if (findPreference(request, losing) === undefined) return
  throw badRequest(`${losing} needs an Idempotency-Key, in a POST request that creates a record.`)
}

function reportIgnored(reply: FastifyReply, applied: string): void {
  const names = listOwn(reply.request).flatMap((preference) => /^[\w-]+/.exec(preference) ?? [])
  const ignored = names.filter((name) => name !== `vitrine-${applied}`)
  if (ignored.length === 0) return
  addVary(reply, 'Prefer')
  reply.header('vitrine-ignored-preferences', ignored.join(', '))
}

/** The value `stall` closes the connection when the client has gone, or after MAX_DURATION_SECONDS. */
async function loseResponse(reply: FastifyReply, maxSeconds: number): Promise<void> {
  const { request, raw } = reply
  const preference = findPreference(request, losing)
  if (preference === undefined || isClosed(raw)) return
  recordExtras(request.raw, { fault: preference })
  if (preference !== losing && !(await wait(reply, maxSeconds * 1000))) return
  const closed = once(raw, 'close')
  raw.destroy()
  await closed
}
