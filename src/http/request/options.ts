import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { IncomingMessage } from 'node:http'
import type { Config } from '../../config/config.ts'
import { findNearest } from '../../config/find-nearest.ts'
import type { AllowedMethods } from './allowed-methods.ts'
import { isPreflight, isWriteAllowed } from '../security/origins.ts'
import { HttpError, methodNotAllowed, notImplemented } from '../errors/http-error.ts'
import { toOrigin } from './request-head.ts'
import { isRawRequest, isUnder, toPath } from './target.ts'
import { isSafe } from './method-override.ts'

type OptionsContent = Pick<AllowedMethods & Config, 'methods' | 'headers' | 'corsOrigins'>

export function sendOptions(request: FastifyRequest, reply: FastifyReply, options: OptionsContent) {
  const { methods, headers, corsOrigins } = options
  reply.code(204).headers(headers)
  if (isPreflight(request.raw)) {
    const origins = { own: toOrigin(request), others: corsOrigins }
    const mayChange = isRawRequest(request.raw) || isWriteAllowed(request.raw, origins)
    if (!mayChange) logRefusal(request)
    reply.headers(toPreflightHeaders(request.raw, methods, mayChange))
  }
  return reply.send()
}

const maxShownLength = 300

/** A script cannot read the reason, and a browser does not name the setting. */
function logRefusal({ id, raw, server }: FastifyRequest): void {
  const { origin = '', 'access-control-request-method': method = '' } = raw.headers
  if (isSafe(method) || !server.supportedMethods.includes(method)) return
  // Without what is not of an origin: a client that is not a browser sends anything.
  const shown = (URL.parse(origin)?.origin ?? 'null').slice(0, maxShownLength)
  server.log.info({ reqId: id }, `${shown} may not send ${method}: it is not in CORS_ORIGINS`)
}

export function addOptionsMethod(app: FastifyInstance, config: Config): void {
  const { corsOrigins } = config
  const sendPreflight: onRequestHookHandler = (request, reply, done) => {
    const { raw, url } = request
    const isOurs = isPreflight(raw) && !isRawRequest(raw)
    const allowed = isOurs ? app.findAllowedMethods(toPath(url)) : undefined
    if (allowed === undefined) done()
    else sendOptions(request, reply, { ...allowed, corsOrigins })
  }
  const paths: string[] = []
  app.addHook('onRoute', (route) => {
    if (/^\/\w/.test(route.url)) paths.push(route.url)
    if (![route.method].flat().includes('OPTIONS')) return
    route.onRequest = [sendPreflight, ...[route.onRequest ?? []].flat()]
  })
  app.setNotFoundHandler((request, reply) =>
    sendOptions(request, reply, { ...findOptions(request, config, paths), corsOrigins }),
  )
}

function findOptions(
  { method, raw, server, url }: FastifyRequest,
  config: Config,
  paths: readonly string[],
) {
  if (!server.supportedMethods.includes(method)) {
    throw notImplemented(`The method ${method} is not implemented.`)
  }
  const path = toPath(url)
  const isOptions = method === 'OPTIONS'
  const allowed = server.findAllowedMethods(path)
  // A script cannot read why its preflight failed; the request itself gets the 404.
  if (!allowed && isPreflight(raw)) {
    return { methods: server.findAllowedMethods('*')?.methods ?? [], headers: {} }
  }
  if (!allowed || (!isOptions && allowed.methods.includes(method))) {
    throw nothingAt(path, config, paths)
  }
  if (!isOptions) throw methodNotAllowed(method, path, allowed)
  return allowed
}

/** Where a data file is served, most clients are scripts. */
function nothingAt(path: string, config: Config, paths: readonly string[]): HttpError {
  const { dataFile, testApi } = config
  const isTestApi = isUnder('/_vitrine', path) && !testApi
  const nearest = findNearestPath(path, paths)
  const hint = isTestApi
    ? ' The test API is on with a data file and --test-api (TEST_API).'
    : nearest && ` Did you mean ${nearest}?`
  const isJson = dataFile !== undefined || isTestApi
  return new HttpError('not-found', `There is nothing at ${path}.${hint ?? ''}`, { isJson })
}

/** With the parameter that the path lacks; or of the path, or of its first segment. */
function findNearestPath(path: string, routes: readonly string[]): string | undefined {
  const lacking = routes.find((route) => route.startsWith(`${path}/:`))
  const paths = routes.filter((route) => !/[:*]/.test(route))
  const [first = ''] = /^\/[^/]*/.exec(path) ?? []
  const ofFirst = paths.includes(first) ? undefined : findNearest(first, paths)
  return lacking ?? findNearest(path, paths) ?? ofFirst
}

const allowedHeaders =
  'Accept, Authorization, Content-Digest, Content-Type, Idempotency-Key, If-Match, ' +
  'If-Modified-Since, If-None-Match, If-Range, If-Unmodified-Since, Prefer, Range, Repr-Digest, ' +
  'Want-Content-Digest, Want-Repr-Digest, X-HTTP-Method-Override'

/** Fetch sends a POST even if the methods omit it, so a method that is not allowed gets no headers. */
function toPreflightHeaders(raw: IncomingMessage, methods: readonly string[], mayChange: boolean) {
  const allowed = methods.filter((method) => mayChange || isSafe(method))
  const { headers } = raw
  const isAllowed = allowed.includes(headers['access-control-request-method'] ?? '')
  const requested = headers['access-control-request-headers'] ?? ''
  const names = `${allowedHeaders}, ${requested}`.match(/[\w!#$%&'*+.^`|~-]+/g) ?? []
  const byLowerCase = new Map(names.map((name) => [name.toLowerCase(), name]))
  return {
    'access-control-allow-methods': allowed.join(', '),
    ...(isAllowed && { 'access-control-allow-headers': [...byLowerCase.values()].join(', ') }),
    'access-control-max-age': '600',
  }
}
