import type { FastifyReply, FastifyRequest } from 'fastify'
import { setTimeout } from 'node:timers/promises'
import { HttpError, notFound } from '../http/errors/http-error.ts'
import { chooseErrorForm } from '../http/errors/send-error.ts'
import { negotiate } from '../http/negotiation/negotiate.ts'
import type { Route } from '../http/openapi/route.ts'
import { toPathParameter } from '../http/request/target.ts'
import { sendJson } from '../http/response/send.ts'
import {
  toRecordId,
  toRecordRoute,
  type Handler,
  type ResourceContext,
} from '../resources/context.ts'
import type { Resource } from '../resources/definition.ts'
import { destroy } from './destroy.ts'
import { findParameters, list, show } from './read.ts'
import type { JsonServer } from './server.ts'
import { change, create } from './write.ts'

/** The routes of a resource, with the JSON of json-server. Pages and other types stay. */
export function toDialect(
  server: JsonServer,
  context: ResourceContext,
  routes: readonly Route[],
): readonly Route[] {
  const { isSingular, path } = context.resource
  const record = toRecordRoute(context.resource)
  const changes = change(server, context)
  const toField = (request: FastifyRequest) => ({
    [`${context.resource.singular}${server.config.foreignKeySuffix}`]: toRecordId(
      context.resource,
      request,
    ),
  })
  const lists =
    server.version === '1' ? [] : server.contexts.filter((each) => !each.resource.isSingular)
  const nested = lists.flatMap((other): [string, Handler][] => {
    const url = `${record}${other.resource.path}`
    return [
      [`GET ${url}`, list(server, other, toField)],
      [`POST ${url}`, create(server, other, toField)],
    ]
  })
  const handlers: Readonly<Record<string, Handler>> = {
    ...Object.fromEntries(nested),
    [`GET ${record}`]: show(server, context),
    [`PUT ${record}`]: changes,
    [`PATCH ${record}`]: changes,
    ...(!isSingular && {
      [`GET ${path}`]: list(server, context),
      [`POST ${path}`]: create(server, context),
      [`DELETE ${record}`]: destroy(server, context),
    }),
  }
  const replaced = routes.map((route) => {
    const handler = handlers[`${[route.method].flat()[0] ?? ''} ${route.url}`]
    return handler ? withHandler(server, route, handler) : route
  })
  if (server.version === '1') return replaced
  const more = isSingular
    ? [singularPost(context, changes)]
    : nestedRoutes(context.resource, handlers)
  return [...replaced, ...more.map((route) => withHandler(server, route, route.handler))]
}

const types = [
  'application/json',
  'text/html',
  'text/csv',
  'application/x-ndjson',
  'text/plain',
] as const

function withHandler(server: JsonServer, route: Route, handler: Handler): Route {
  return {
    ...route,
    config: { ...route.config, defaultType: 'json' },
    async handler(request, reply) {
      await delay(server, request)
      // json-server ignores Accept.
      const type = negotiate(request, reply, types) ?? 'application/json'
      const isOther = type !== 'application/json' || request.method === 'QUERY'
      return (isOther ? route.handler : handler).call(this, request, reply)
    },
    async errorHandler(error, request, reply) {
      const isPage = chooseErrorForm(request, reply) === 'html'
      if (isPage && route.errorHandler) return route.errorHandler(error, request, reply)
      if (isPage || !(error instanceof HttpError)) throw error
      return sendError(server, reply, error)
    },
  }
}

/** 0.17 responds with `{}` if there is no such record, and its other errors are stack traces. */
function sendError({ version }: JsonServer, reply: FastifyReply, error: HttpError) {
  const { status, headers, message } = error
  if (version === '0.17' && status !== 404) throw error
  reply.code(status).headers(headers).header('cache-control', 'no-store')
  const text = status === 404 ? 'Not Found' : message
  return sendJson(reply, version === '1' ? { error: text } : {})
}

const maxDelayMs = 60_000

async function delay({ version, config }: JsonServer, request: FastifyRequest): Promise<void> {
  const { _delay } = version === '0.17' ? findParameters(request) : {}
  const own = Number.parseFloat(String(_delay)) || 0
  const milliseconds = Math.min(maxDelayMs, config.delayMs + Math.max(0, own))
  if (milliseconds > 0) await setTimeout(milliseconds)
}

function singularPost({ resource }: ResourceContext, handler: Handler): Route {
  const summary = `Replace the ${resource.singular}`
  return { method: 'POST', url: resource.path, summary, store: 'writes', handler }
}

/** `/posts/1/comments`, which is `/comments?postId=1`, of any two lists. */
function nestedRoutes(resource: Resource, handlers: Readonly<Record<string, Handler>>): Route[] {
  const record = toRecordRoute(resource)
  const summary = 'the records of another list that refer to one'
  return (['GET', 'POST'] as const).map((method) => ({
    method,
    url: `${record}/:nested`,
    summary: `${method === 'GET' ? 'List' : 'Create one of'} ${summary}`,
    store: method === 'GET' ? 'reads' : 'writes',
    handler(request, reply) {
      const handler = handlers[`${method} ${record}/${toPathParameter(request, 'nested')}`]
      if (!handler) throw notFound('There is no such list.')
      return handler.call(this, request, reply)
    },
  }))
}
