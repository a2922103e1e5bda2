import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Config } from '../config/config.ts'
import { discardRest, readBytes } from '../http/body/read-bytes.ts'
import { HttpError, notFound } from '../http/errors/http-error.ts'
import { remember } from '../http/remember.ts'
import { toRawRequest } from '../http/request/raw-request.ts'
import { toOrigin } from '../http/request/request-head.ts'
import type { Route } from '../http/openapi/route.ts'
import { defaultHeaders } from '../http/response/default-headers.ts'
import { toVisitorHeaders } from '../http/security/visitor-response.ts'
import { isHttp2, isRawRequest, toPath } from '../http/request/target.ts'
import { allowUpgrade } from '../http/upgrades.ts'
import { webSocketPath } from './endpoints/websocket.ts'
import type { BinRequest, BinResponse, Dialect, Endpoint } from './dialect.ts'
import { toRouteDocs } from './documentation.ts'
import { appendTrailers, toTrailers } from './trailers.ts'
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
    const request = toBinRequest(fastify, reply.raw, bin)
    const finish = (response: BinResponse) => send(request, reply, { bin, response })
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
  return { ...rest, headers: [...headers, ...Object.entries(error.headers)] }
}

const emptyBytes = Buffer.alloc(0)

function toBinRequest(
  fastify: FastifyRequest,
  response: ServerResponse,
  { config, prefix, dialect, ownCookies }: Bin,
): BinRequest {
  const { method, headers } = toRawRequest(fastify)
  const target = fastify.raw.target?.url ?? '/'
  return {
    fastify,
    response,
    config,
    prefix,
    method,
    target,
    parameters: [],
    query: dialect.parseQuery(target.slice(toPath(target).length + 1)),
    headers: withoutCookies(headers, ownCookies),
    body: emptyBytes,
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

function respond(request: BinRequest, bin: Bin, find: Matcher) {
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
  const found = { ...request, parameters }
  if (!endpoint.readsBody) return endpoint.handler(found, dialect)
  const bytes = readBytes(request.fastify.raw, bin.config)
  if (!(bytes instanceof Promise)) return endpoint.handler({ ...found, body: bytes }, dialect)
  return bytes.then((body) => endpoint.handler({ ...found, body }, dialect))
}

function renderOptions(dialect: Dialect, methods: readonly string[]): BinResponse {
  const { hasOptionsEverywhere, optionsType } = dialect
  const headers: Pair[] = hasOptionsEverywhere ? [] : [['Allow', dialect.toAllow(methods)]]
  if (optionsType !== undefined) headers.push(['Content-Type', optionsType])
  return { headers, body: '' }
}

const capitalizeName = remember((name) =>
  name.replaceAll(/(?<![^-])[a-z]/gu, (letter) => letter.toUpperCase()),
)

/** As both services send them: tests of clients look for `Content-Type:` in the text of a response. */
function capitalizeNames(response: ServerResponse): void {
  const writeHead = response.writeHead.bind(response)
  const capitalize = (status: number, headers: OutgoingHttpHeaders = {}) => {
    const capitalized: OutgoingHttpHeaders = {}
    for (const name of Object.keys(headers)) capitalized[capitalizeName(name)] = headers[name]
    return writeHead(status, capitalized)
  }
  Object.assign(response, { writeHead: capitalize })
}

interface Outcome {
  bin: Bin
  response: BinResponse
}

function send(request: BinRequest, reply: FastifyReply, { bin, response }: Outcome): FastifyReply {
  const { status = 200, headers = [], policy, timing, takeOver } = response
  if (takeOver) {
    reply.hijack()
    takeOver()
    return reply
  }
  const limits = {
    origin: toOrigin(request.fastify),
    allowedRedirectDomains: bin.config.allowedRedirectDomains,
    ownCookies: bin.ownCookies,
    cookiePath: bin.prefix || '/',
  }
  const { raw } = request.fastify
  // A path without an endpoint at the root is not among the raw paths.
  if (!isRawRequest(raw)) {
    for (const name of ['vary', ...Object.keys(defaultHeaders)]) reply.removeHeader(name)
  }
  if (!isHttp2(raw)) capitalizeNames(reply.raw)
  const sent = {
    ...toFields(request, toVisitorHeaders(headers, limits, policy)),
    ...toCorsHeaders(request, bin.dialect),
  }
  reply.code(status).headers(sent)
  finishTiming(reply, timing)
  const hasBody = request.method !== 'HEAD' && status !== 204 && status !== 304
  const trailers = hasBody ? toTrailers(request, response, limits) : []
  const isText = typeof response.body === 'string' && Object.values(sent).flat().every(isAscii)
  return sendBody(reply, request, { ...response, hasBody, trailers, isText })
}

function finishTiming(reply: FastifyReply, timing: string | undefined): void {
  // RFC 9111 §3: a shared cache would send the exchange id to other clients.
  if (/public|max-?age/i.test(String(reply.getHeader('cache-control')))) {
    reply.removeHeader('server-timing').removeHeader('x-request-id')
  }
  if (timing === undefined) return
  const timings = [reply.getHeader('server-timing') ?? [], timing].flat()
  reply.header('server-timing', timings.join(', '))
}

interface Sending extends Pick<BinResponse, 'body' | 'size'> {
  /** Without it, only the headers are sent. */
  hasBody: boolean
  trailers: ReturnType<typeof toTrailers>
  /** A text, with headers in ASCII: Node can write both at once. */
  isText: boolean
}

function sendBody(
  reply: FastifyReply,
  request: BinRequest,
  { body = '', size, hasBody, trailers, isText }: Sending,
): FastifyReply {
  // Fastify would add a type to an empty Buffer.
  if (body === '' || (Buffer.isBuffer(body) && body.length === 0)) return reply.send()
  if (trailers.length > 0) {
    reply.header('trailer', trailers.map(([name]) => name).join(', '))
    return reply.send(Readable.from(appendTrailers(body, request, trailers)))
  }
  // Without a serializer, Fastify adds a charset to JSON. A buffer would take another write, but Node
  // encodes headers like a text that is sent with them.
  if (isText) return reply.serializer(String).send(body)
  if (typeof body === 'string') return reply.send(Buffer.from(body))
  if (Buffer.isBuffer(body)) return reply.send(body)
  if (size !== undefined) reply.header('content-length', String(size))
  return reply.send(Readable.from(hasBody ? body : []))
}

/** Over HTTP/2, Node throws for several values of some headers. To join them is the same (RFC 9110 §5.3). */
function toFields({ fastify }: BinRequest, headers: ReturnType<typeof toVisitorHeaders>) {
  if (!isHttp2(fastify.raw)) return headers
  const joined = Object.entries(headers).map(([name, value]) => {
    return [name, name === 'set-cookie' ? value : [value].flat().join(', ')] as const
  })
  return Object.fromEntries(joined)
}

const isAscii = (text: string) => /^[\t -~]*$/.test(text)

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
