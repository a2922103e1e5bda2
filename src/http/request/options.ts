import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { Config } from '../../config/config.ts'
import type { AllowedMethods, AllowedMethodsFinder } from './allowed-methods.ts'
import { toPreflightHeaders } from '../security/cors.ts'
import { isPreflight } from '../security/cross-site.ts'
import { methodNotAllowed, notFound, notImplemented } from '../errors/http-error.ts'
import { toOrigin } from './request-head.ts'
import { isRawRequest, toPath } from './target.ts'

type CorsOrigins = Pick<Config, 'corsOrigins'>

export function sendOptions(
  request: FastifyRequest,
  reply: FastifyReply,
  { methods, headers, corsOrigins }: Pick<AllowedMethods, 'methods' | 'headers'> & CorsOrigins,
): FastifyReply {
  reply.code(204).headers(headers)
  if (isPreflight(request.raw)) {
    const origins = { own: toOrigin(request), others: corsOrigins }
    reply.headers(toPreflightHeaders(request.raw, methods, origins))
  }
  return reply.send()
}

export function addPreflightHook(
  app: FastifyInstance,
  findAllowedMethods: AllowedMethodsFinder,
  { corsOrigins }: CorsOrigins,
): void {
  const respond: onRequestHookHandler = (request, reply, done) => {
    const { raw, url } = request
    const isOurs = isPreflight(raw) && !isRawRequest(raw)
    const allowed = isOurs ? findAllowedMethods(toPath(url)) : undefined
    if (allowed === undefined) done()
    else sendOptions(request, reply, { ...allowed, corsOrigins })
  }
  app.addHook('onRoute', (route) => {
    if (![route.method].flat().includes('OPTIONS')) return
    route.onRequest = [respond, ...[route.onRequest ?? []].flat()]
  })
}

export function addNotFoundHandler(
  app: FastifyInstance,
  findAllowedMethods: AllowedMethodsFinder,
  { corsOrigins }: CorsOrigins,
): void {
  app.setNotFoundHandler((request, reply) => {
    const { headers, methods } = loadAllowedMethods(request, findAllowedMethods)
    return sendOptions(request, reply, { headers, methods, corsOrigins })
  })
}

function loadAllowedMethods(
  { method, raw, server, url }: FastifyRequest,
  findAllowedMethods: AllowedMethodsFinder,
): Pick<AllowedMethods, 'methods' | 'headers'> {
  const path = toPath(url)
  if (!server.supportedMethods.includes(method)) {
    throw notImplemented(`The method ${method} is not implemented.`)
  }
  const allowed = findAllowedMethods(path)
  // A script cannot read why its preflight failed; the request itself gets the 404.
  if (allowed === undefined && isPreflight(raw)) {
    return { methods: findAllowedMethods('*')?.methods ?? [], headers: {} }
  }
  const isGone = method !== 'OPTIONS' && allowed?.methods.includes(method)
  if (allowed === undefined || isGone) throw notFound(`There is nothing at ${path}.`)
  if (method !== 'OPTIONS') throw methodNotAllowed(method, path, allowed)
  return allowed
}
