import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { IncomingMessage } from 'node:http'
import type { Config } from '../../config/config.ts'
import { findNearest } from '../../config/find-nearest.ts'
import type { AllowedMethods } from './allowed-methods.ts'
import { isPreflight, isWriteAllowed } from '../security/origins.ts'
import { withoutPatterns } from '../openapi/route.ts'
import { HttpError, methodNotAllowed, notImplemented } from '../errors/http-error.ts'
import { toOrigin } from './request-head.ts'
import { isRawRequest, toPath } from './target.ts'
import { isSafe } from './method-override.ts'

type OptionsContent = Pick<AllowedMethods & Config, 'methods' | 'headers' | 'corsOrigins'>

export function sendOptions(request: FastifyRequest, reply: FastifyReply, options: OptionsContent) {
  const { methods, headers, corsOrigins } = options
  reply.code(204).headers(headers)
  if (isPreflight(request.raw)) {
    const origins = { own: toOrigin(request), others: corsOrigins }
    const mayChange = isRawRequest(request.raw) || isWriteAllowed(request.raw, origins)
    if (!mayChange) logBlocked(request)
    reply.headers(toPreflightHeaders(request.raw, methods, mayChange))
  }
  return reply.send()
}

const maxShownLength = 300

/** A script cannot read the reason, and a browser does not name the setting. */
function logBlocked({ id, raw, server }: FastifyRequest): void {
  const { origin = '', 'access-control-request-method': method = '' } = raw.headers
  if (isSafe(method) || !server.supportedMethods.includes(method)) return
  const shown = (URL.parse(origin)?.origin ?? 'null').slice(0, maxShownLength)
  server.log.info({ reqId: id }, `${shown} may not send ${method}: it is not in CORS_ORIGINS`)
}

interface Missing extends Pick<Config, 'dataFile'> {
  findHint: (path: string) => string | undefined
}

export function addOptionsMethod(
  app: FastifyInstance,
  missing: Missing & Pick<Config, 'corsOrigins'>,
): void {
  const { corsOrigins } = missing
  const sendPreflight: onRequestHookHandler = (request, reply, done) => {
    const { raw, url } = request
    const allowed = isPreflight(raw) ? app.findAllowedMethods(toPath(url)) : undefined
    if (allowed === undefined) done()
    else sendOptions(request, reply, { ...allowed, corsOrigins })
  }
  const suggestions = new Map<string, string>()
  app.addHook('onRoute', (route) => {
    const url = withoutPatterns(route.url)
    const [, path] = /^(\/\w[^:*]*?)(?:\/:\w+)?$/.exec(url) ?? []
    const [, list] = /^(\/[^:]+)\/:id\(/.exec(route.url) ?? []
    if (list !== undefined && [route.method].flat().includes('PUT')) suggestions.set(`${list}/`, '')
    const isHint = path === url || !(url.endsWith('/:id') || suggestions.has(path ?? ''))
    if (path !== undefined && isHint) suggestions.set(path, url)
    if (![route.method].flat().includes('OPTIONS') || route.config?.isRaw) return
    route.onRequest = [sendPreflight, ...[route.onRequest ?? []].flat()]
  })
  const sendUnrouted = (request: FastifyRequest, reply: FastifyReply) =>
    sendOptions(request, reply, { ...findOptions(request, missing, suggestions), corsOrigins })
  app.setNotFoundHandler(sendUnrouted)
  // Fastify judges the type of the body before it calls the handler, and the method decides first.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) sendUnrouted(request, reply)
    else done()
  })
}

function findOptions(
  { method, raw, server, url }: FastifyRequest,
  missing: Missing,
  suggestions: ReadonlyMap<string, string>,
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
  const isTaken = allowed?.hasRoute && !allowed.methods.includes(method)
  if (!allowed || !(isOptions || isTaken)) {
    const isId = method === 'PUT' && suggestions.has(path.replace(/[^/]*$/, ''))
    if (isId) throw new HttpError('not-found', `${path} cannot be created: this id is not allowed.`)
    throw nothingAt(path, missing, findSuggestion(path, suggestions))
  }
  if (!isOptions) throw methodNotAllowed(method, path, { ...allowed, unknown: raw.unknownMethod })
  return allowed
}

/** Where a data file is served, most clients are scripts. */
function nothingAt(path: string, { dataFile, findHint }: Missing, suggestion?: string): HttpError {
  const hint = findHint(path)
  const more = hint ?? (suggestion && `Did you mean ${suggestion}?`)
  const detail = [`There is nothing at ${path}.`, more].filter(Boolean).join(' ')
  return new HttpError('not-found', detail, {
    isJson: dataFile !== undefined || hint !== undefined,
  })
}

function findSuggestion(path: string, suggestions: ReadonlyMap<string, string>) {
  const known = [...suggestions].flatMap(([name, url]) => (name === url ? name : []))
  const [first = ''] = /^\/[^/]*/.exec(path) ?? []
  const ofFirst = suggestions.has(first) ? undefined : findNearest(first, known)
  return suggestions.get(path) ?? findNearest(path, known) ?? ofFirst
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
