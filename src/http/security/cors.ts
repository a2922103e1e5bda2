import type { IncomingMessage } from 'node:http'
import { isWriteAllowed } from './cross-site.ts'
import { isSafe } from '../request/method-override.ts'

/** The fields of answers that scripts of other sites may see besides those they always may. */
const exposedFields = [
  'Accept-Patch',
  'Accept-Post',
  'Accept-Query',
  'Accept-Ranges',
  'Allow',
  'Content-Digest',
  'Content-Disposition',
  'Content-Location',
  'Content-Range',
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'Location',
  'Preference-Applied',
  'RateLimit',
  'RateLimit-Policy',
  'Repr-Digest',
  'Retry-After',
  'X-Request-Id',
  'X-Total-Count',
].join(', ')

/** The fields that a preflight allows whatever it asks for; Fetch allows none of them by itself. */
const usualFields = [
  'Accept',
  'Authorization',
  'Content-Digest',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-Modified-Since',
  'If-None-Match',
  'If-Range',
  'If-Unmodified-Since',
  'Prefer',
  'Range',
  'Repr-Digest',
  'Want-Content-Digest',
  'Want-Repr-Digest',
  'X-HTTP-Method-Override',
]

/**
 * Fetch, CORS protocol: any site may read, without credentials. On every answer, asked for or not,
 * so that no cache keeps one without it for those who need it.
 */
export const readableByAll = {
  'access-control-allow-origin': '*',
  // Not the asterisk, which with credentials names nothing.
  'access-control-expose-headers': exposedFields,
}

/** The same for one of CORS_ORIGINS, whose visitors may send their cookies along. */
export function readableBy(origin: string): Readonly<Record<string, string>> {
  return {
    ...readableByAll,
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
  }
}

/**
 * What a preflight hears: of the methods of the path those for which the request itself would not be
 * refused. Without the fields where the method is none of them, since Fetch lets a POST pass that no
 * list names.
 */
export function toPreflightHeaders(
  raw: IncomingMessage,
  methods: readonly string[],
  allowedOrigins: { own: string; others: readonly string[] },
): Readonly<Record<string, string>> {
  const mayChange = isWriteAllowed(raw, allowedOrigins.own, allowedOrigins.others)
  const allowed = methods.filter((method) => mayChange || isSafe(method))
  const { headers } = raw
  const isAllowed = allowed.includes(headers['access-control-request-method'] ?? '')
  const asked = headers['access-control-request-headers']?.toString().match(/[\w!#$%&'*+.^`|~-]+/g)
  const fields = new Map(
    [...usualFields, ...(asked ?? [])].map((name) => [name.toLowerCase(), name]),
  )
  return {
    'access-control-allow-methods': allowed.join(', '),
    ...(isAllowed && { 'access-control-allow-headers': [...fields.values()].join(', ') }),
    // Ten minutes, in which other settings may take hold.
    'access-control-max-age': '600',
  }
}
