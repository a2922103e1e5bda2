import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
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
import type { BinRequest, BinResponse, Dialect, Endpoint } from './dialect.ts'
import { toRouteDocs } from './documentation.ts'
import { createMatcher, type Matcher } from './matcher.ts'
import { toCanonical } from './text.ts'

export interface Bin {
  dialect: Dialect
  endpoints: readonly Endpoint[]
  /** Of every path. Empty at the root. */
  prefix: string
  config: Config
  /** The names of the cookies that are removed from requests and that a response cannot set. */
  ownCookies: readonly string[]
}

/** One handler for all: its matcher knows the rules of the dialect for paths and methods. */
export function toBinRoutes(bin: Bin, app: FastifyInstance, isDocumented = true): readonly Route[] {
  allowUpgrade(app, bin.prefix + webSocketPath)
  const handler = createHandler(bin, createMatcher(bin.dialect, bin.endpoints))
  const documented = isDocumented ? toRouteDocs(bin).map((docs) => ({ ...docs, handler })) : []
  const file = 'src/httpbin/routes.ts'
  const rest = { method: app.supportedMethods, summary: 'Any other path or method', file, handler }
  return [...documented, { ...rest, url: `${bin.prefix}/*` }]
}

/** Without a promise where none is needed: it would take a tenth of the time of a small response. */
function createHandler(bin: Bin, findEndpoint: Matcher) {
  return (fastify: FastifyRequest, reply: FastifyReply) => {
    const request = toBinRequest(fastify, reply, bin)
    const finish = (response: BinResponse) => send(request, { bin, response })
    const fail = async (error: unknown) => finish(await renderFailure(error, fastify, bin))
    try {
      const response = respond(request, bin, findEndpoint)
      return response instanceof Promise ? response.then(finish).catch(fail) : finish(response)
    } catch (error) {
      return fail(error)
    }
  }
}

async function renderFailure(error: unknown, { raw }: FastifyRequest, { config, dialect }: Bin) {
  if (!(error instanceof HttpError)) throw error
  if (error.status === 413) await discardRest(raw, config)
  const { headers = [], ...rest } = dialect.renderError(error)
  const own = Object.entries(error.headers).map(([name, value]): Pair => [toCanonical(name), value])
  return { ...rest, headers: [...headers, ...own] }
}

const emptyBytes = Buffer.alloc(0)

function toBinRequest(
  fastify: FastifyRequest,
  reply: FastifyReply,
  { config, prefix, dialect, ownCookies }: Bin,
): BinRequest {
  const { raw } = fastify
  const { method, headers } = toRawRequest(fastify)
  const target = raw.target?.url ?? '/'
  const path = toPath(target)
  return {
    fastify,
    reply,
    config,
    prefix,
    method,
    target,
    path,
    parameters: [],
    query: path === target ? [] : dialect.parseQuery(target.slice(path.length + 1)),
    headers: raw.headers.cookie === undefined ? headers : withoutCookies(headers, ownCookies),
    body: emptyBytes,
  }
}

function respond(request: BinRequest, bin: Bin, find: Matcher) {
  const { dialect, prefix } = bin
  const { method, path } = request
  const { endpoint, parameters, methods } = find(path.slice(prefix.length + 1), method)
  if (method === 'OPTIONS' && (dialect.hasOptionsEverywhere || methods.length > 0)) {
    return renderOptions(dialect, methods)
  }
  if (methods.length === 0) throw notFound(dialect.missing)
  if (!endpoint) {
    const headers = { allow: dialect.toAllow(methods) }
    throw new HttpError('method-not-allowed', dialect.wrongMethod, { headers })
  }
  request.parameters = parameters
  if (!endpoint.readsBody) return endpoint.handler(request, dialect)
  const bytes = readBytes(request.fastify.raw, bin.config)
  const run = (body: Buffer) => {
    request.body = body
    return endpoint.handler(request, dialect)
  }
  return bytes instanceof Promise ? bytes.then(run) : run(bytes)
}

function renderOptions(dialect: Dialect, methods: readonly string[]): BinResponse {
  const { hasOptionsEverywhere, optionsType } = dialect
  const headers: Pair[] = hasOptionsEverywhere ? [] : [['Allow', dialect.toAllow(methods)]]
  if (optionsType !== undefined) headers.push(['Content-Type', optionsType])
  return { headers, body: '' }
}

interface Outcome {
  bin: Bin
  response: BinResponse
}

function send({ fastify, reply }: BinRequest, { bin, response }: Outcome): FastifyReply {
  const { config, dialect, ownCookies, prefix } = bin
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
  const { preflightMethods, keepsNames, toReason } = dialect
  const toName = keepsNames ? keepNames(response.headers ?? [], toCanonical) : toCanonical
  return sendVisitorResponse(reply, response, { limits, preflightMethods, toName, toReason })
}
