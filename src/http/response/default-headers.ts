import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import { readableBy, readableByAll } from '../security/cors.ts'
import { isRawRequest } from '../request/target.ts'
import { isAllowedOrigin } from '../security/cross-site.ts'

export const protectiveHeaders = {
  'x-content-type-options': 'nosniff',
  // Our own forms keep their Origin, and other sites get no Referer.
  'referrer-policy': 'same-origin',
  'content-security-policy':
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
}

export const defaultHeaders = {
  ...protectiveHeaders,
  // RFC 9111 §4.2.2: without it caches choose a lifetime. A shared one would disclose the exchange id.
  'cache-control': 'private, no-cache',
  ...readableByAll,
}

export const defaultErrorHeaders = { ...defaultHeaders, 'cache-control': 'no-store' }

export function createHeaders(config: Config) {
  const overHttp = toFactory({}, config)
  const overHttps = toFactory({ 'strict-transport-security': 'max-age=31536000' }, config)
  if (config.trustedProxies.length === 0) return config.tlsKey === undefined ? overHttp : overHttps
  return (request: FastifyRequest) => (request.protocol === 'https' ? overHttps : overHttp)(request)
}

function toFactory(hsts: object, { compression, corsOrigins }: Config) {
  const forRaw = { ...protectiveHeaders, ...hsts }
  const varying = [corsOrigins.length > 0 && 'Origin', compression && 'Accept-Encoding']
  const vary = varying.filter(Boolean).join(', ')
  const forOthers = { ...defaultHeaders, ...hsts, ...(vary && { vary }) }
  return ({ raw }: FastifyRequest) => {
    if (isRawRequest(raw)) return forRaw
    const { origin } = raw.headers
    const isAllowed = origin !== undefined && isAllowedOrigin(origin, corsOrigins)
    return isAllowed ? { ...forOthers, ...readableBy(origin) } : forOthers
  }
}
