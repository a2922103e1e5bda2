import type { IncomingMessage } from 'node:http'
import { isWriteAllowed, type Origins } from './cross-site.ts'
import { isSafe } from '../request/method-override.ts'

const exposedHeaders =
  'Accept-Patch, Accept-Post, Accept-Query, Accept-Ranges, Allow, Content-Digest, ' +
  'Content-Disposition, Content-Location, Content-Range, ETag, Idempotency-Replayed, Link, Location, ' +
  'Preference-Applied, RateLimit, RateLimit-Policy, Repr-Digest, Retry-After, X-Request-Id, X-Total-Count'

const requestHeaders =
  'Accept, Authorization, Content-Digest, Content-Type, Idempotency-Key, If-Match, ' +
  'If-Modified-Since, If-None-Match, If-Range, If-Unmodified-Since, Prefer, Range, Repr-Digest, ' +
  'Want-Content-Digest, Want-Repr-Digest, X-HTTP-Method-Override'

/** On every response, so that no cache stores one without it. */
export const readableByAll = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': exposedHeaders,
}

export function readableBy(origin: string): Readonly<Record<string, string>> {
  return {
    ...readableByAll,
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
  }
}

/** Fetch sends a POST even if the methods omit it, so a method that is not allowed gets no headers. */
export function toPreflightHeaders(
  raw: IncomingMessage,
  methods: readonly string[],
  origins: Origins,
) {
  const mayChange = isWriteAllowed(raw, origins)
  const allowed = methods.filter((method) => mayChange || isSafe(method))
  const { headers } = raw
  const isAllowed = allowed.includes(headers['access-control-request-method'] ?? '')
  const requested = headers['access-control-request-headers'] ?? ''
  const names = `${requestHeaders}, ${requested}`.match(/[\w!#$%&'*+.^`|~-]+/g) ?? []
  const byLowerCase = new Map(names.map((name) => [name.toLowerCase(), name]))
  return {
    'access-control-allow-methods': allowed.join(', '),
    ...(isAllowed && { 'access-control-allow-headers': [...byLowerCase.values()].join(', ') }),
    'access-control-max-age': '600',
  }
}
