import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import { discardRest, readBytes } from '../http/body/read-bytes.ts'
import { HttpError, notFound } from '../http/errors/http-error.ts'
import { toRawRequest } from '../http/request/raw-request.ts'
import { toOrigin } from '../http/request/request-head.ts'
import type { Route } from '../http/openapi/route.ts'
import { defaultHeaders } from '../http/response/default-headers.ts'
import { toVisitorHeaders } from '../http/security/visitor-response.ts'
import { isRawRequest, toPath } from '../http/request/target.ts'
import type { BinRequest, BinResponse, Dialect, Endpoint } from './dialect.ts'
import { toRouteDocs } from './documentation.ts'
import { createMatcher, type Matcher } from './matcher.ts'
import { findHeader, type Pair } from './text.ts'

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
export function toBinRoutes(
  bin: Bin,
  { supportedMethods }: FastifyInstance,
  isDocumented = true,
): readonly Route[] {
  const handler = createHandler(bin, createMatcher(bin.dialect, bin.endpoints))
  const documented = isDocumented ? toRouteDocs(bin).map((docs) => ({ ...docs, handler })) : []
  const file = 'src/httpbin/routes.ts'
  const rest = { method: supportedMethods, summary: 'Any other path or method', file, handler }
  return [...documented, { ...rest, url: `${bin.prefix}/*` }]
}

function createHandler(bin: Bin, findEndpoint: Matcher) {
  return async (fastify: FastifyRequest, reply: FastifyReply) => {
    const request = toBinRequest(fastify, bin)
    const response = await respond(request, bin, findEndpoint).catch(async (error: unknown) => {
      if (!(error instanceof HttpError)) throw error
      if (error.status === 413) await discardRest(fastify.raw, bin.config)
      const { headers = [], ...rest } = bin.dialect.renderError(error)
      return { ...rest, headers: [...headers, ...Object.entries(error.headers)] }
    })
    return send(request, reply, { bin, response })
  }
}

function toBinRequest(
  fastify: FastifyRequest,
  { config, prefix, dialect, ownCookies }: Bin,
): BinRequest {
  const { method, headers } = toRawRequest(fastify)
  const target = fastify.raw.target?.url ?? '/'
  return {
    fastify,
    config,
    prefix,
    method,
    target,
    parameters: [],
    query: dialect.parseQuery(target.slice(toPath(target).length + 1)),
    headers: withoutCookies(headers, ownCookies),
    body: Buffer.alloc(0),
  }
}

function withoutCookies(headers: readonly Pair[], own: readonly string[]): readonly Pair[] {
  return headers.flatMap(([name, value]): Pair[] => {
    if (name.toLowerCase() !== 'cookie' || own.length === 0) return [[name, value]]
    const kept = value.split(';').filter((part) => {
      const [cookie = ''] = part.split('=')
      return !own.includes(cookie.trim())
    })
    return kept.length === 0 ? [] : [[name, kept.join(';').trim()]]
  })
}

async function respond(request: BinRequest, bin: Bin, find: Matcher): Promise<BinResponse> {
  const { dialect, prefix } = bin
  const { method, target } = request
  const path = toPath(target).slice(prefix.length + 1)
  const { endpoint, parameters, methods } = find(path, method)
  if (method === 'OPTIONS' && (dialect.hasOptionsEverywhere || methods.length > 0)) {
    return renderOptions(dialect, methods)
  }
  if (methods.length === 0) throw notFound(dialect.missing)
  if (!endpoint) {
    const headers = { allow: dialect.toAllow(methods) }
    throw new HttpError('method-not-allowed', dialect.wrongMethod, { headers })
  }
  const body = endpoint.readsBody ? await readBytes(request.fastify.raw, bin.config) : request.body
  return endpoint.handler({ ...request, parameters, body }, dialect)
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

function send(request: BinRequest, reply: FastifyReply, { bin, response }: Outcome): FastifyReply {
  const { status = 200, headers = [], body = '', policy } = response
  const limits = {
    origin: toOrigin(request.fastify),
    allowedRedirectDomains: bin.config.allowedRedirectDomains,
    ownCookies: bin.ownCookies,
    cookiePath: bin.prefix || '/',
  }
  // A path without an endpoint at the root is not among the raw paths.
  if (!isRawRequest(request.fastify.raw)) {
    for (const name of ['vary', ...Object.keys(defaultHeaders)]) reply.removeHeader(name)
  }
  reply.code(status).headers(toVisitorHeaders(headers, limits, policy))
  reply.headers(toCorsHeaders(request, bin.dialect))
  // RFC 9111 §3: a shared cache would send the exchange id to other clients.
  if (/public|max-?age/i.test(String(reply.getHeader('cache-control'))))
    reply.removeHeader('server-timing').removeHeader('x-request-id')
  if (body === '') return reply.send()
  // As bytes: Fastify would add a charset to JSON.
  return reply.send(typeof body === 'string' ? Buffer.from(body) : body)
}

/** Both give every site the right to read every response, credentials included. */
function toCorsHeaders({ method, headers }: BinRequest, dialect: Dialect) {
  const asked = findHeader(headers, 'access-control-request-headers')
  return {
    'access-control-allow-origin': findHeader(headers, 'origin') ?? '*',
    'access-control-allow-credentials': 'true',
    ...(method === 'OPTIONS' && {
      'access-control-allow-methods': dialect.preflightMethods,
      'access-control-max-age': '3600',
      ...(asked !== undefined && { 'access-control-allow-headers': asked }),
    }),
  }
}
