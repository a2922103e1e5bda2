import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import { tooManyRequests } from '../http/errors/http-error.ts'
import { toNamedNumbers } from '../http/request/structured-field.ts'
import { windowSeconds, type Count, type CountingPlaces } from '../stores/counters/counters.ts'
import { toClientKey } from './client-key.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a request of this route is a try to log in, which LOGIN_RATE_LIMIT counts. */
    isLogin?: boolean
  }
}

/** Lets a request pass when it has been counted, or has it refused. */
export type Limit = (
  request: FastifyRequest,
  reply: FastifyReply,
  done: (refusal?: Error) => void,
) => void

interface Policy {
  /** As the fields of the answer have it. */
  name: 'default' | 'login'
  quota: number
  /** Of what there may be so many. */
  unit: string
}

/**
 * Counts the requests of each client against RATE_LIMIT and LOGIN_RATE_LIMIT, and says in the answer
 * how many are left (draft-ietf-httpapi-ratelimit-headers-10).
 */
export function createRateLimits(
  { rateLimit, loginRateLimit }: Pick<Config, 'rateLimit' | 'loginRateLimit'>,
  places: CountingPlaces,
): Limit {
  const all = toPolicy('default', rateLimit, 'requests')
  const ofLogins = [...all, ...toPolicy('login', loginRateLimit, 'logins')]
  const count = createCounting(places)
  return (request, reply, done) => {
    const policies = request.routeOptions.config.isLogin === true ? ofLogins : all
    if (policies.length === 0) {
      done()
      return
    }
    const client = toClientKey(request.ip, request.socket.remoteAddress)
    const settle = (counts: readonly Count[]) => {
      done(applyPolicies(reply, policies, counts))
    }
    const counts = policies.map(({ name }) => count(`${name} ${client}`, request))
    if (isCounted(counts)) settle(counts)
    else Promise.all(counts.map(async (counted) => counted)).then(settle, done)
  }
}

function isCounted(counts: readonly (Count | Promise<Count>)[]): counts is readonly Count[] {
  return counts.every((counted) => !(counted instanceof Promise))
}

function toPolicy(name: Policy['name'], quota: number | undefined, unit: string): Policy[] {
  return quota === undefined ? [] : [{ name, quota, unit: `${String(quota)} ${unit}` }]
}

/** Says in the answer what is left of each; the refusal of the last that is exceeded. */
function applyPolicies(
  reply: FastifyReply,
  policies: readonly Policy[],
  counts: readonly Count[],
): Error | undefined {
  let refusal: Error | undefined
  const left = policies.map(({ name, quota, unit }, index) => {
    const { requests = 0, msLeft = 0 } = counts[index] ?? {}
    const seconds = Math.max(Math.ceil(msLeft / 1000), 1)
    if (requests > quota) {
      refusal = tooManyRequests(unit, { policy: name, retryAfterSeconds: seconds })
    }
    return [name, { r: Math.max(quota - requests, 0), t: seconds }] as const
  })
  const terms = policies.map(({ name, quota }) => [name, { q: quota, w: windowSeconds }] as const)
  reply.header('ratelimit-policy', toNamedNumbers(terms))
  reply.header('ratelimit', toNamedNumbers(left))
  return refusal
}

/** Counts in this process alone while the others cannot be reached: see 012-limits.md. */
function createCounting({ shared, own }: CountingPlaces) {
  if (shared === undefined) return (key: string) => own.add(key)
  let isAlone = false
  return async (key: string, { id, server }: FastifyRequest) => {
    try {
      const counted = await shared.add(key)
      isAlone = false
      return counted
    } catch (error) {
      // Once for each outage, and not for each request.
      if (!isAlone) {
        server.log.warn({ reqId: id, err: error }, 'requests are counted by this process alone')
      }
      isAlone = true
      return own.add(key)
    }
  }
}
