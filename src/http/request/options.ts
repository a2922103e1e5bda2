import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { Config } from '../../config/config.ts'
import type { AllowedMethods } from './allowed-methods.ts'
import { toPreflightHeaders } from '../security/cors.ts'
import { isPreflight } from '../security/cross-site.ts'
import { methodNotAllowed, notFound, notImplemented } from '../errors/http-error.ts'
import { toOrigin } from './request-head.ts'
import { isRawRequest, toPath } from './target.ts'

type Options = Pick<AllowedMethods, 'methods' | 'headers'>

export function sendOptions(
  request: FastifyRequest,
  reply: FastifyReply,
  { methods, headers, corsOrigins }: Options & Pick<Config, 'corsOrigins'>,
): FastifyReply {
  reply.code(204).headers(headers)
  if (isPreflight(request.raw)) {
    const origins = { own: toOrigin(request), others: corsOrigins }
    reply.headers(toPreflightHeaders(request.raw, methods, origins))
  }
  return reply.send()
}

export function addOptions(app: FastifyInstance, { corsOrigins }: Config): void {
  const sendPreflight: onRequestHookHandler = (request, reply, done) => {
    const { raw, url } = request
    const isOurs = isPreflight(raw) && !isRawRequest(raw)
    const allowed = isOurs ? app.findAllowedMethods(toPath(url)) : undefined
    if (allowed === undefined) done()
    else sendOptions(request, reply, { ...allowed, corsOrigins })
  }
  app.addHook('onRoute', (route) => {
    if (![route.method].flat().includes('OPTIONS')) return
    route.onRequest = [sendPreflight, ...[route.onRequest ?? []].flat()]
  })
  app.setNotFoundHandler((request, reply) =>
    sendOptions(request, reply, { ...toOptions(request), corsOrigins }),
  )
}

function toOptions({ method, raw, server, url }: FastifyRequest): Options {
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
    throw notFound(`There is nothing at ${path}.`)
  }
  if (!isOptions) throw methodNotAllowed(method, path, allowed)
  return allowed
}
