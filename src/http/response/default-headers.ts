import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import { readableBy, readableByAll } from '../security/cors.ts'
import { isRawRequest } from '../request/target.ts'
import { isAllowedOrigin } from '../security/cross-site.ts'

/** What keeps a browser from harm, whatever it is sent. */
export const protectiveHeaders = {
  'x-content-type-options': 'nosniff',
  // Our own forms keep their Origin, and other sites learn nothing.
  'referrer-policy': 'same-origin',
  // No upgrade-insecure-requests: the pages have to work on a local network without HTTPS.
  'content-security-policy':
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
}

/** What every answer carries, refusals and files included. */
export const defaultHeaders = {
  ...protectiveHeaders,
  // Routes that know better say so. RFC 9111 §4.2.2: without it a cache decides by itself. Private,
  // since a shared cache would give the id of one visitor's exchange to others.
  'cache-control': 'private, no-cache',
  ...readableByAll,
}

/** The same for what is refused, which may be well a moment later. */
export const defaultErrorHeaders = { ...defaultHeaders, 'cache-control': 'no-store' }

type Headers = Readonly<Record<string, string>>

/** Makes the function that tells the headers of every answer, all put together beforehand. */
export function createHeaders({
  tlsKey,
  corsOrigins,
  trustedProxies,
}: Pick<Config, 'tlsKey' | 'corsOrigins' | 'trustedProxies'>): (
  request: FastifyRequest,
) => Headers {
  const overHttp = createVariants(protectiveHeaders, corsOrigins)
  const hsts = { 'strict-transport-security': 'max-age=31536000' }
  const overHttps = createVariants({ ...protectiveHeaders, ...hsts }, corsOrigins)
  if (trustedProxies.length === 0) return tlsKey === undefined ? overHttp : overHttps
  return (request) => (request.protocol === 'https' ? overHttps : overHttp)(request)
}

/** Raw requests get the protective headers only; CORS depends on the origin. */
function createVariants(
  protective: Headers,
  corsOrigins: readonly string[],
): (request: FastifyRequest) => Headers {
  const common = { ...defaultHeaders, ...protective }
  const forOthers = corsOrigins.length === 0 ? common : { ...common, vary: 'Origin' }
  return ({ raw }) => {
    if (isRawRequest(raw)) return protective
    const { origin } = raw.headers
    if (origin === undefined || !isAllowedOrigin(origin, corsOrigins)) return forOthers
    return { ...forOthers, ...readableBy(origin) }
  }
}
