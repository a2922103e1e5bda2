import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { Config } from '../../config/config.ts'
import type { AllowedMethods, AllowedMethodsFinder } from './allowed-methods.ts'
import { toPreflightHeaders } from '../security/cors.ts'
import { isPreflight } from '../security/cross-site.ts'
import { methodNotAllowed, notFound, notImplemented } from '../errors/http-error.ts'
import { toOrigin } from './request-head.ts'
import { toPath } from './target.ts'

type CorsOrigins = Pick<Config, 'corsOrigins'>

/** Answers OPTIONS with what a path offers (RFC 9110 §9.3.7), a preflight with what it may get. */
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

/** Answers the preflights of routes that take every method, and would take OPTIONS for their own. */
export function addPreflightHook(
  app: FastifyInstance,
  findOffer: AllowedMethodsFinder,
  { corsOrigins }: CorsOrigins,
): void {
  const answer: onRequestHookHandler = (request, reply, done) => {
    const offer = isPreflight(request.raw) ? findOffer(toPath(request.url)) : undefined
    if (offer === undefined) done()
    else sendOptions(request, reply, { ...offer, corsOrigins })
  }
  app.addHook('onRoute', (route) => {
    if (![route.method].flat().includes('OPTIONS')) return
    route.onRequest = [answer, ...[route.onRequest ?? []].flat()]
  })
}

/** Where no route matched: OPTIONS of a known path, a method it lacks, or nothing at all. */
export function addNotFoundHandler(
  app: FastifyInstance,
  findOffer: AllowedMethodsFinder,
  { corsOrigins }: CorsOrigins,
): void {
  app.setNotFoundHandler((request, reply) =>
    sendOptions(request, reply, { ...loadAllowedMethods(request, findOffer), corsOrigins }),
  )
}

/** What OPTIONS is answered with; throws for everything else. */
function loadAllowedMethods(
  request: FastifyRequest,
  findOffer: AllowedMethodsFinder,
): AllowedMethods {
  const { method, server, url } = request
  const path = toPath(url)
  if (!server.supportedMethods.includes(method)) throw notImplemented(method)
  const offer = findOffer(path)
  // A script whose preflight fails is not told why; the request itself gets the 404.
  if (offer === undefined && isPreflight(request.raw)) {
    return { methods: findOffer('*')?.methods ?? [], headers: {}, isJson: false }
  }
  const isGone = method !== 'OPTIONS' && offer?.methods.includes(method)
  if (offer === undefined || isGone) throw notFound(`There is nothing at ${path}.`)
  if (method !== 'OPTIONS') throw methodNotAllowed(method, path, offer)
  return offer
}
