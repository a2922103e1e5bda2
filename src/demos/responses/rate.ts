import { maxTokens, stateSeconds } from '../../config/limits.ts'
import { toRateLimitHeaders } from '../../http/response/rate-limit-headers.ts'
import { readQuery } from '../../responses/read-description.ts'
import type { State } from '../../stores/states/states.ts'
import { describedResponses, type ResponseEndpoint } from './endpoint.ts'
import { createQueryParser, toQueryParameters } from './query.ts'
import { keyParameter, parseKey, toStateEndpoints } from './state.ts'

const properties = {
  limit: {
    type: 'integer',
    minimum: 1,
    maximum: maxTokens,
    default: 5,
    description: 'The tokens in a full bucket. Each request takes one.',
  },
  seconds: {
    type: 'integer',
    minimum: 1,
    maximum: stateSeconds,
    default: 10,
    description: 'The time in which an empty bucket becomes full, token by token.',
  },
} as const

const parseRate = createQueryParser(properties)

// Sums of parts of tokens are not exact.
const tolerance = 1e-6

export const rateEndpoints: readonly ResponseEndpoint[] = [
  {
    url: '/responses/rate/:key',
    summary: 'Respond with 429 when a token bucket is empty',
    parameters: [keyParameter, ...toQueryParameters(properties)],
    responses: describedResponses,
    store: 'writes',
    describe: async (request, { states }) => {
      const { limit = 5, seconds = 10 } = parseRate(readQuery(request))
      const key = `rate/${parseKey(request)}`
      const now = Date.now()
      const { tokens, isAccepted, accepted, rejected } = await states.update(key, (known) =>
        takeToken(known, { limit, seconds }, now),
      )
      const left = Math.floor(tokens + tolerance)
      // The time is until the next token, as in Retry-After, and not until the bucket is full.
      const wait = ((left + 1 - tokens) * seconds) / limit
      const resetSeconds = Math.max(Math.ceil(wait - tolerance), 1)
      const quota = { name: 'default', quota: limit, windowSeconds: seconds, left, resetSeconds }
      const limits = toRateLimitHeaders([quota])
      const headers = {
        'RateLimit-Policy': limits['ratelimit-policy'],
        RateLimit: limits.ratelimit,
      }
      const json = { limit, seconds, left, accepted, rejected }
      if (isAccepted) return { headers, json }
      const retry = { 'Retry-After': String(resetSeconds) }
      return { status: 429, headers: { ...retry, ...headers }, json }
    },
  },
  ...toStateEndpoints('rate', ({ accepted = 0, rejected = 0 }) => ({ accepted, rejected })),
]

type Rate = Required<ReturnType<typeof parseRate>>

function takeToken(known: State, { limit, seconds }: Rate, now: number) {
  const { tokens: before = limit, atMs: beforeMs = now, accepted = 0, rejected = 0 } = known
  // The clocks of replicas differ.
  const atMs = Math.max(now, beforeMs)
  const added = ((atMs - beforeMs) * limit) / (seconds * 1000)
  const tokens = Math.min(before + added, limit)
  const isAccepted = Number(tokens > 1 - tolerance)
  return {
    tokens: Math.max(tokens - isAccepted, 0),
    atMs,
    isAccepted,
    accepted: accepted + isAccepted,
    rejected: rejected + 1 - isAccepted,
  }
}
