import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import { tooManyRequests, type HttpError } from '../http/errors/http-error.ts'
import { toNamedNumbers } from '../http/request/structured-field.ts'
import { windowSeconds, type Count, type CountingPlaces } from '../stores/counters/counters.ts'
import { toClientKey } from './client-key.ts'

/** Sets the RateLimit headers (draft-ietf-httpapi-ratelimit-headers-10). */
export function createRateLimits({ rateLimit, loginRateLimit }: Config, places: CountingPlaces) {
  const policies = [
    { name: 'default', quota: rateLimit, unit: 'requests' },
    { name: 'login', quota: loginRateLimit, unit: 'logins' },
  ] as const
  const count = createCounting(places)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<HttpError | undefined> => {
    const { isLogin = false } = request.routeOptions.config
    const client = toClientKey(request.ip, request.socket.remoteAddress)
    const terms: [string, { q: number; w: number }][] = []
    const left: [string, { r: number; t: number }][] = []
    let error: HttpError | undefined
    for (const { name, quota, unit } of policies) {
      if (quota === undefined || (name === 'login' && !isLogin)) continue
      const { requests, msLeft } = await count(`${name} ${client}`, request)
      const seconds = Math.max(Math.ceil(msLeft / 1000), 1)
      terms.push([name, { q: quota, w: windowSeconds }])
      left.push([name, { r: Math.max(quota - requests, 0), t: seconds }])
      if (requests <= quota) continue
      const details = { policy: name, retryAfterSeconds: seconds }
      error = tooManyRequests(`${String(quota)} ${unit}`, details)
    }
    if (terms.length > 0) {
      reply.header('ratelimit-policy', toNamedNumbers(terms))
      reply.header('ratelimit', toNamedNumbers(left))
    }
    return error
  }
}

/** Counts in this process while the shared counters are unavailable: see 012-limits.md. */
function createCounting({ shared, own }: CountingPlaces) {
  let isUnavailable = false
  return async (key: string, { id, server }: FastifyRequest): Promise<Count> => {
    if (shared === undefined) return own.add(key)
    try {
      const counted = await shared.add(key)
      isUnavailable = false
      return counted
    } catch (err) {
      const problem = 'shared counters are unavailable; requests are counted per process'
      if (!isUnavailable) server.log.warn({ reqId: id, err }, problem)
      isUnavailable = true
      return own.add(key)
    }
  }
}
