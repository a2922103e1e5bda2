import type { FastifyReply, FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import type { Config } from '../config/config.ts'
import { serviceUnavailable } from '../http/errors/http-error.ts'
import { isUnder } from '../http/request/target.ts'
import type { CountingPlaces } from '../stores/counters/counters.ts'
import { watchEventLoop } from './load-shedding.ts'
import { createRateLimits } from './rate-limits.ts'

export function openLimits(config: Config, counters: CountingPlaces | undefined) {
  const { maxEventLoopDelayMs: maxDelayMs } = config
  const eventLoop = maxDelayMs === undefined ? undefined : watchEventLoop(maxDelayMs)
  const limitRate = counters && createRateLimits(config, counters)
  const shouldShed = (raw: IncomingMessage) => eventLoop?.isLate() === true && !isExempt(raw)
  return {
    shouldShed,
    check(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
      if (shouldShed(request.raw)) done(serviceUnavailable('The service is overloaded.'))
      else if (limitRate === undefined || isExempt(request.raw)) done()
      else limitRate(request, reply).then(done, done)
    },
    statuses: [...(counters ? [429 as const] : []), ...(eventLoop ? [503 as const] : [])],
    close: () => eventLoop?.close(),
  }
}

/** Health checks must work under load, and error pages need their stylesheets. */
function isExempt({ url = '' }: IncomingMessage): boolean {
  return isUnder('/health', url) || isUnder('/assets', url)
}
