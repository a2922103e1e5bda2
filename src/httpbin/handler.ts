import type { FastifyReply, FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import { discardRest, readArrived } from '../http/body/read-bytes.ts'
import { HttpError, notFound } from '../http/errors/http-error.ts'
import { toRawRequest } from '../http/request/raw-request.ts'
import { toOrigin } from '../http/request/request-head.ts'
import { toPath } from '../http/request/target.ts'
import {
  keepNames,
  sendVisitorResponse,
  type VisitorResponse,
} from '../http/response/send-visitor-response.ts'
import { withoutCookies } from '../http/security/own-secrets.ts'
import type { Pair } from '../http/security/visitor-response.ts'
import type { DialectRequest, Mount } from './dialect.ts'
import { createMatcher } from './matcher.ts'
import { addHeaders, renderAs } from './render.ts'
import { toCanonical } from './text.ts'

/** Returns no promise where none is needed: it would take a tenth of the time of a small response. */
export function createHandler(mount: Mount) {
  const respond = createResponder(mount)
  return (fastify: FastifyRequest, reply: FastifyReply) => {
    const request = toDialectRequest(fastify, reply, mount)
    const finish = (response: VisitorResponse) => send(request, response)
    const fail = async (error: unknown) => finish(await renderFailure(error, request))
    try {
      const response = respond(request)
      return response instanceof Promise ? response.then(finish).catch(fail) : finish(response)
    } catch (error) {
      return fail(error)
    }
  }
}

async function renderFailure(error: unknown, { fastify, config, dialect }: DialectRequest) {
  if (!(error instanceof HttpError)) throw error
  if (error.status === 413) await discardRest(fastify.raw, config)
  const own = Object.entries(error.headers).map(([name, value]): Pair => [toCanonical(name), value])
  return addHeaders(dialect.renderError(error), ...own)
}

const emptyBytes = Buffer.alloc(0)

function toDialectRequest(fastify: FastifyRequest, reply: FastifyReply, mount: Mount) {
  const { raw } = fastify
  const { method, headers } = toRawRequest(fastify)
  const target = raw.target?.url ?? '/'
  const path = toPath(target)
  const isBare = raw.headers.cookie === undefined
  return {
    ...mount,
    fastify,
    reply,
    method,
    target,
    path,
    query: path === target ? [] : mount.dialect.parseQuery(target.slice(path.length + 1)),
    headers: isBare ? headers : withoutCookies(headers, mount.ownCookies),
    body: emptyBytes,
  }
}

function createResponder({ config, dialect, prefix }: Mount) {
  const find = createMatcher(dialect)
  return (request: DialectRequest) => {
    const { fastify, method, path } = request
    const { endpoint, methods } = find(path.slice(prefix.length + 1), method)
    if (method === 'OPTIONS' && (!dialect.isPython || methods.length > 0)) {
      const allow: Pair = ['Allow', dialect.toAllow(methods)]
      return dialect.isPython ? addHeaders(renderAs(dialect.textType, ''), allow) : {}
    }
    if (methods.length === 0) throw notFound(dialect.missing)
    if (!endpoint) {
      const headers = { allow: dialect.toAllow(methods) }
      throw new HttpError('method-not-allowed', dialect.wrongMethod, { headers })
    }
    const { handler, parameters, template } = endpoint
    fastify.raw.pathTemplate = prefix + template
    if (!endpoint.readsBody) return handler(request, ...parameters)
    const bytes = readArrived(fastify.raw, config)
    return bytes.then((body) => handler({ ...request, body }, ...parameters))
  }
}

function send(request: DialectRequest, response: VisitorResponse): FastifyReply {
  const { config, dialect, fastify, ownCookies, prefix, reply } = request
  // A WebSocket has taken the connection over.
  if (reply.sent) return reply
  const limits = {
    origin: toOrigin(fastify),
    allowedRedirectDomains: config.allowedRedirectDomains,
    ownCookies,
    cookiePath: prefix || '/',
  }
  const { preflightMethods, isPython, toReason } = dialect
  // In Go, the body of a response to HEAD is discarded before its length is known.
  const isBare = !isPython && request.method === 'HEAD' && response.body !== undefined
  const sent = isBare ? { ...response, body: Readable.from([]) } : response
  const toName = isPython ? keepNames(response.headers ?? [], toCanonical) : toCanonical
  return sendVisitorResponse(reply, sent, { limits, preflightMethods, toName, toReason })
}
