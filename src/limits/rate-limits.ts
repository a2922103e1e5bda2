import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import { tooManyRequests } from '../http/errors/http-error.ts'
import { toNamedNumbers } from '../http/request/structured-field.ts'
import { windowSeconds, type Count, type CountingPlaces } from '../stores/counters/counters.ts'
import { toClientKey } from './client-key.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether LOGIN_RATE_LIMIT counts requests to this route. */
    isLogin?: boolean
  }
}

export type Limit = (
  request: FastifyRequest,
  reply: FastifyReply,
  done: (error?: Error) => void,
) => void

interface Policy {
  /** In the RateLimit headers. */
  name: 'default' | 'login'
  quota: number
  /** `300 requests` */
  text: string
}

/** Sets the RateLimit headers (draft-ietf-httpapi-ratelimit-headers-10). */
export function createRateLimits(
  { rateLimit, loginRateLimit }: Pick<Config, 'rateLimit' | 'loginRateLimit'>,
  places: CountingPlaces,
): Limit {
  const all = toPolicy('default', rateLimit, 'requests')
  const forLogins = [...all, ...toPolicy('login', loginRateLimit, 'logins')]
  const count = createCounting(places)
  return (request, reply, done) => {
    const policies = request.routeOptions.config.isLogin === true ? forLogins : all
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
  return quota === undefined ? [] : [{ name, quota, text: `${String(quota)} ${unit}` }]
}

/** Returns the error of the last policy that is exceeded. */
function applyPolicies(
  reply: FastifyReply,
  policies: readonly Policy[],
  counts: readonly Count[],
): Error | undefined {
  let error: Error | undefined
  const left = policies.map(({ name, quota, text }, index) => {
    const { requests = 0, msLeft = 0 } = counts[index] ?? {}
    const seconds = Math.max(Math.ceil(msLeft / 1000), 1)
    if (requests > quota) {
      error = tooManyRequests(text, { policy: name, retryAfterSeconds: seconds })
    }
    return [name, { r: Math.max(quota - requests, 0), t: seconds }] as const
  })
  const terms = policies.map(({ name, quota }) => [name, { q: quota, w: windowSeconds }] as const)
  reply.header('ratelimit-policy', toNamedNumbers(terms))
  reply.header('ratelimit', toNamedNumbers(left))
  return error
}

/** Counts in this process while the shared counters are unavailable: see 012-limits.md. */
function createCounting({ shared, own }: CountingPlaces) {
  if (shared === undefined) return (key: string) => own.add(key)
  let isUnavailable = false
  return async (key: string, { id, server }: FastifyRequest) => {
    try {
      const counted = await shared.add(key)
      isUnavailable = false
      return counted
    } catch (error) {
      // Logged once per outage.
      if (!isUnavailable) {
        server.log.warn(
          { reqId: id, err: error },
          'shared counters are unavailable; requests are counted per process',
        )
      }
      isUnavailable = true
      return own.add(key)
    }
  }
}
