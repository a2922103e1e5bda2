import type { IncomingMessage } from 'node:http'
import type { Config } from '../config/config.ts'
import { overloaded } from '../http/errors/http-error.ts'
import { isUnder } from '../http/request/target.ts'
import type { CountingPlaces } from '../stores/counters/counters.ts'
import { watchEventLoop } from './load-shedding.ts'
import { createRateLimits, type Limit } from './rate-limits.ts'

/** What may keep a request out, whatever it asks for. */
export interface Limits {
  /** Whether this one comes while there is too much to do; before anything of it is read. */
  shouldShed: (raw: IncomingMessage) => boolean
  /** The refusal of one that is shed, or is one too many of its client. */
  check: Limit
  /** With which statuses it may do so. */
  statuses: readonly (429 | 503)[]
  close: () => void
}

/** `counters` are there when one of the limits on requests is set. */
export function openLimits(
  config: Pick<Config, 'maxEventLoopDelayMs' | 'rateLimit' | 'loginRateLimit'>,
  counters: CountingPlaces | undefined,
): Limits {
  const { maxEventLoopDelayMs: maxDelayMs } = config
  const eventLoop = maxDelayMs === undefined ? undefined : watchEventLoop(maxDelayMs)
  const limitRate = counters && createRateLimits(config, counters)
  const isShed = (raw: IncomingMessage) => eventLoop?.isLate() === true && !isExempt(raw)
  return {
    shouldShed: isShed,
    check: (request, reply, done) => {
      if (isShed(request.raw)) done(overloaded())
      else if (limitRate === undefined || isExempt(request.raw)) done()
      else limitRate(request, reply, done)
    },
    statuses: [...(counters ? [429 as const] : []), ...(eventLoop ? [503 as const] : [])],
    close: () => eventLoop?.close(),
  }
}

/**
 * Whoever watches the service has to hear of it when it has the most to do, and a page that refuses
 * has to look like one.
 */
function isExempt({ url = '' }: IncomingMessage): boolean {
  return isUnder('/health', url) || isUnder('/assets', url)
}
