import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { discardRest, readBytes } from '../http/body/read-bytes.ts'
import { HttpError, notFound } from '../http/errors/http-error.ts'
import { toRawRequest } from '../http/request/raw-request.ts'
import { toOrigin } from '../http/request/request-head.ts'
import type { Route } from '../http/openapi/route.ts'
import { keepNames, sendVisitorResponse } from '../http/response/send-visitor-response.ts'
import { withoutCookies, type Pair } from '../http/security/visitor-response.ts'
import { toPath } from '../http/request/target.ts'
import { allowUpgrade } from '../http/upgrades.ts'
import { webSocketPath } from './endpoints/websocket.ts'
import type { Bin, BinRequest, BinResponse } from './dialect.ts'
import { endpoints } from './endpoints.ts'
import { toRouteDocs } from './documentation.ts'
import { createMatcher, type Matcher } from './matcher.ts'
import { addHeaders, renderText } from './render.ts'
import { toCanonical } from './text.ts'

/** One handler for all: its matcher knows the rules of the dialect for paths and methods. */
export function toBinRoutes(bin: Bin, app: FastifyInstance, isDocumented = true): readonly Route[] {
  allowUpgrade(app, bin.prefix + webSocketPath)
  const handler = createHandler(bin, createMatcher(bin.dialect, endpoints))
  const documented = isDocumented ? toRouteDocs(bin).map((docs) => ({ ...docs, handler })) : []
  const file = 'src/httpbin/routes.ts'
  const rest = { method: app.supportedMethods, summary: 'Any other path or method', file, handler }
  return [...documented, { ...rest, url: `${bin.prefix}/*` }]
}

/** Without a promise where none is needed: it would take a tenth of the time of a small response. */
function createHandler(bin: Bin, findEndpoint: Matcher) {
  return (fastify: FastifyRequest, reply: FastifyReply) => {
    const request = toBinRequest(fastify, reply, bin)
    const finish = (response: BinResponse) => send(request, response)
    const fail = async (error: unknown) => finish(await renderFailure(error, request))
    try {
      const response = respond(request, findEndpoint)
      return response instanceof Promise ? response.then(finish).catch(fail) : finish(response)
    } catch (error) {
      return fail(error)
    }
  }
}

async function renderFailure(error: unknown, { fastify, config, dialect }: BinRequest) {
  if (!(error instanceof HttpError)) throw error
  if (error.status === 413) await discardRest(fastify.raw, config)
  const own = Object.entries(error.headers).map(([name, value]): Pair => [toCanonical(name), value])
  return addHeaders(dialect.renderError(error), ...own)
}

const emptyBytes = Buffer.alloc(0)

function toBinRequest(fastify: FastifyRequest, reply: FastifyReply, bin: Bin): BinRequest {
  const { dialect, ownCookies } = bin
  const { raw } = fastify
  const { method, headers } = toRawRequest(fastify)
  const target = raw.target?.url ?? '/'
  const path = toPath(target)
  return {
    ...bin,
    fastify,
    reply,
    method,
    target,
    path,
    parameters: [],
    query: path === target ? [] : dialect.parseQuery(target.slice(path.length + 1)),
    headers: raw.headers.cookie === undefined ? headers : withoutCookies(headers, ownCookies),
    body: emptyBytes,
  }
}

function respond(request: BinRequest, find: Matcher) {
  const { config, dialect, fastify, method, path, prefix } = request
  const { endpoint, parameters, methods } = find(path.slice(prefix.length + 1), method)
  if (method === 'OPTIONS' && (!dialect.isPython || methods.length > 0)) {
    return renderOptions(request, methods)
  }
  if (methods.length === 0) throw notFound(dialect.missing)
  if (!endpoint) {
    const headers = { allow: dialect.toAllow(methods) }
    throw new HttpError('method-not-allowed', dialect.wrongMethod, { headers })
  }
  request.parameters = parameters
  if (!endpoint.readsBody) return endpoint.handler(request)
  const bytes = readBytes(fastify.raw, config)
  const run = (body: Buffer) => {
    request.body = body
    return endpoint.handler(request)
  }
  return bytes instanceof Promise ? bytes.then(run) : run(bytes)
}

function renderOptions(request: BinRequest, methods: readonly string[]): BinResponse {
  const { isPython, toAllow } = request.dialect
  return isPython ? addHeaders(renderText(request, ''), ['Allow', toAllow(methods)]) : {}
}

function send(request: BinRequest, response: BinResponse): FastifyReply {
  const { config, dialect, fastify, ownCookies, prefix, reply } = request
  if (response.takeOver) {
    reply.hijack()
    response.takeOver()
    return reply
  }
  const limits = {
    origin: toOrigin(fastify),
    allowedRedirectDomains: config.allowedRedirectDomains,
    ownCookies,
    cookiePath: prefix || '/',
  }
  const { preflightMethods, isPython, toReason } = dialect
  const toName = isPython ? keepNames(response.headers ?? [], toCanonical) : toCanonical
  return sendVisitorResponse(reply, response, { limits, preflightMethods, toName, toReason })
}
