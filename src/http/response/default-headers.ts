import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import { isAllowedOrigin } from '../security/origins.ts'

export const protectiveHeaders = {
  'x-content-type-options': 'nosniff',
  // Our own forms keep their Origin, and other sites get no Referer.
  'referrer-policy': 'same-origin',
  'content-security-policy':
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
}

const exposedHeaders =
  'Accept-Patch, Accept-Post, Accept-Query, Accept-Ranges, Allow, Content-Digest, ' +
  'Content-Disposition, Content-Location, Content-Range, ETag, Idempotency-Replayed, Link, Location, ' +
  'Preference-Applied, RateLimit, RateLimit-Policy, Repr-Digest, Retry-After, ' +
  'Vitrine-Ignored-Body, Vitrine-Ignored-Fields, Vitrine-Sandbox, WWW-Authenticate, X-Request-Id, X-Sandbox, X-Total-Count'

export const defaultHeaders = {
  ...protectiveHeaders,
  // RFC 9111 §4.2.2: without it caches choose a lifetime. A shared one would disclose the exchange id.
  'cache-control': 'private, no-cache',
  // Every response has it, so that no cache stores one without it.
  'access-control-allow-origin': '*',
}

export const defaultErrorHeaders = { ...defaultHeaders, 'cache-control': 'no-store' }

/** RFC 9111 §3: a shared cache would send what is for one client, such as the exchange id, to others. */
export const withoutClientHeaders = {
  'server-timing': undefined,
  'x-request-id': undefined,
  ratelimit: undefined,
  'ratelimit-policy': undefined,
  'set-cookie': undefined,
  'vitrine-sandbox': undefined,
}

export function removeClientHeaders(reply: FastifyReply): void {
  for (const name of Object.keys(withoutClientHeaders)) reply.removeHeader(name)
}

/** The response must be the same in each sandbox: it does not vary by the cookie that can name one. */
export function cachePublicly(reply: FastifyReply, seconds: number): void {
  reply.header('cache-control', `public, max-age=${String(seconds)}`)
  const vary = String(reply.getHeader('vary') ?? '').split(', ')
  reply.header('vary', vary.filter((name) => name !== 'Cookie').join(', '))
  removeClientHeaders(reply)
}

/** Neither a private cache nor a page of another site, which can read what needs no cookie, may have it. */
export function keepPrivate(reply: FastifyReply): void {
  reply.header('cache-control', 'no-store')
  if (reply.getHeader('access-control-allow-origin') === '*')
    reply.removeHeader('access-control-allow-origin')
}

export const toTextErrorHeaders = (text: string) => ({
  ...defaultErrorHeaders,
  'content-type': 'text/plain; charset=utf-8',
  'content-length': Buffer.byteLength(text),
})

export function createHeaderChooser(config: Config) {
  const overHttp = createChooser({}, config)
  const overHttps = createChooser({ 'strict-transport-security': 'max-age=31536000' }, config)
  if (config.trustedProxies.length === 0) return config.tlsKey === undefined ? overHttp : overHttps
  return (request: FastifyRequest, isRaw: boolean) =>
    (request.protocol === 'https' ? overHttps : overHttp)(request, isRaw)
}

function createChooser(hsts: object, config: Config) {
  const { compression, corsOrigins, trustedProxies, sandboxes } = config
  // Errors have these headers too, and so they allow no credentials: an error page is a page of the service.
  const forRaw = { ...protectiveHeaders, ...hsts, 'access-control-allow-origin': '*' }
  // URLs in the response begin with them. A cache behind the proxy does not have them in its key.
  const forwarded = trustedProxies.length > 0 ? ['X-Forwarded-Host', 'X-Forwarded-Proto'] : []
  // Without a key, the address of the client selects the sandbox.
  const ofAddress = sandboxes === 'visitor' && forwarded.length > 0 ? ['X-Forwarded-For'] : []
  const coded = compression ? ['Accept-Encoding'] : []
  const ofSandbox = sandboxes === 'off' ? [] : ['X-Sandbox', 'Cookie']
  const vary = ['Origin', ...coded, ...ofSandbox, ...forwarded, ...ofAddress].join(', ')
  const withoutOrigin = { ...defaultHeaders, ...hsts, vary }
  const forOthers = { ...withoutOrigin, 'access-control-expose-headers': exposedHeaders }
  const forAllowed = { ...forOthers, 'access-control-allow-credentials': 'true' }
  return ({ raw }: FastifyRequest, isRaw: boolean) => {
    if (isRaw) return forRaw
    const { origin } = raw.headers
    if (origin === undefined) return withoutOrigin
    if (!isAllowedOrigin(origin, corsOrigins)) return forOthers
    return { ...forAllowed, 'access-control-allow-origin': origin }
  }
}
