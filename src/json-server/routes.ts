import type { FastifyReply, FastifyRequest } from 'fastify'
import { HttpError, notFound } from '../http/errors/http-error.ts'
import { STATUS_CODES } from '../http/node-http.ts'
import { chooseErrorForm } from '../http/errors/send-error.ts'
import { negotiate, typeBySuffix } from '../http/negotiation/negotiate.ts'
import { pathParameter } from '../http/openapi/content.ts'
import { responseHeaders } from '../http/openapi/fields.ts'
import type { Route } from '../http/openapi/route.ts'
import { toPathParameter } from '../http/request/target.ts'
import { wait } from '../http/response/pacing.ts'
import { sendJson } from '../http/response/send.ts'
import { toRecordId, toRecordRoute } from '../resources/context.ts'
import type { Handler, ResourceRoute } from '../resources/context.ts'
import { toSchemas } from '../resources/openapi/schemas.ts'
import { withSelection } from '../resources/write/destroy-many.ts'
import type { Document } from '../stores/records/records.ts'
import { findQuery, list, show } from './read.ts'
import { findListOfPath, isVersion1, toForeignKey, type Context } from './context.ts'
import { change, changeValue, create, remove, removeAsPage, removeMany } from './write.ts'

type ToHandler = (context: Context, fixed?: Document) => Handler

export function toDialect(context: Context, routes: readonly ResourceRoute[]): readonly Route[] {
  if (context.resource.isValue) return isVersion1(context) ? toWrites(context, routes) : routes
  const operations = { list, show, create, change, remove }
  const own = routes.map((route) => {
    const { operation, nested, config } = route
    // A URL with a suffix, such as /posts.json, has the JSON of the service, as a nested list of 1 has.
    const isKept = config?.mediaType !== undefined || (nested !== undefined && isVersion1(context))
    if (operation === undefined || isKept) return route
    const toHandler: ToHandler = operations[operation]
    const handler = nested === undefined ? toHandler(context) : nest(context, toHandler, nested)
    const shown = withHandler(context, route, handler)
    const isList = operation === 'create' && nested === undefined
    return isList ? withSelection(shown, removeMany(context)) : shown
  })
  return isVersion1(context) ? own : [...own, ...toAdded(context)]
}

function toWrites(context: Context, routes: readonly ResourceRoute[]): readonly Route[] {
  const handler = changeValue(context)
  return routes.flatMap((route) => {
    if (route.operation !== 'change') return [route]
    const both = [route, { ...route, method: 'PATCH' as const }]
    return both.map((each) => withHandler(context, each, handler))
  })
}

/** `GET /posts/1/comments` is `GET /comments?postId=1`, for any two lists. POST to an object replaces it. */
function toAdded(context: Context): readonly Route[] {
  const { path, isSingular, singular } = context.resource
  const url = isSingular ? path : `${toRecordRoute(context.resource)}/:nested`
  const post = { method: 'POST', url, store: 'writes' } as const
  const replace = { ...post, summary: `Replace the ${singular}`, handler: change(context) }
  if (isSingular) return [withHandler(context, replace)]
  const nested = pathParameter('nested', 'The name of the other list.', 'comments')
  const parameters = [...toSchemas(context.resource).idParameters, nested]
  const others = 'the records of another list that refer to one'
  const get = { method: 'GET', url, store: 'reads', summary: `List ${others}` } as const
  const added = [
    { ...get, parameters, handler: nest(context, list) },
    { ...post, parameters, summary: `Create one of ${others}`, handler: nest(context, create) },
  ]
  return added.map((route) => withHandler(context, route))
}

function nest(context: Context, toHandler: ToHandler, name?: string): Handler {
  return function (request, reply) {
    const other = findListOfPath(context, name ?? toPathParameter(request, 'nested'))
    if (!other) throw notFound('There is no such list.')
    const fixed = { [toForeignKey(context)]: toRecordId(context.resource, request) }
    return toHandler(other, fixed).call(this, request, reply)
  }
}

const types = ['application/json', ...Object.values(typeBySuffix)] as const

function withHandler(context: Context, route: ResourceRoute, handler = route.handler): Route {
  // A page removes as the dialect does.
  const own = route.operation === 'remove' ? removeAsPage(context) : route.handler
  return {
    ...route,
    ...toDocumentation(context, route),
    config: { ...route.config, defaultType: 'json' },
    async handler(request, reply) {
      const ms = toDelay(context, request)
      if (ms > 0 && !(await wait(reply, ms))) return reply.hijack()
      // json-server ignores Accept.
      const type = negotiate(request, reply, types) ?? 'application/json'
      const isOther = type !== 'application/json' || request.method === 'QUERY'
      return (isOther ? own : handler).call(this, request, reply)
    },
    async errorHandler(error, request, reply) {
      const isPage = chooseErrorForm(request, reply) === 'html'
      if (isPage && route.errorHandler) return route.errorHandler(error, request, reply)
      if (isPage || !(error instanceof HttpError)) throw error
      return sendError(context, reply, error)
    },
  }
}

/** A response has any type: a page, or what json-server sends, which the schema of the resource does not limit. */
const anyContent = { content: { '*/*': {} } }
const anyObject = { type: 'object' } as const
const errors = ['400', '403', '404', '405', '408', '409', '412', '413', '415', '422', '428']

function toDocumentation({ version }: Context, route: Route) {
  const description = `JSON as json-server ${version} sends it, or another type if Accept prefers it.`
  const headers = responseHeaders('ETag', 'Link', 'X-Total-Count')
  const body = route.requestBody?.content['application/json']
  return {
    description,
    parameters: route.parameters?.filter((each) => 'in' in each && each.in === 'path') ?? [],
    ...(body && {
      requestBody: { content: { 'application/json': { ...body, schema: anyObject } } },
    }),
    responses: {
      '2XX': { description, headers, ...anyContent },
      '3XX': { description: 'Not changed, or a redirect to a page.' },
      ...Object.fromEntries(
        errors.map((status) => [status, { description: STATUS_CODES[status], ...anyContent }]),
      ),
    },
  }
}

/** 0.17 responds with `{}` if there is no such record, and its other errors are stack traces. */
function sendError({ version }: Context, reply: FastifyReply, error: HttpError) {
  const { status, headers, message } = error
  if (version === '0.17' && status !== 404) throw error
  reply.code(status).headers(headers).header('cache-control', 'no-store')
  const text = status === 404 ? 'Not Found' : message
  return sendJson(reply, version === '1' ? { error: text } : {})
}

function toDelay({ version, config }: Context, request: FastifyRequest): number {
  const { _delay } = version === '0.17' ? findQuery(request) : {}
  return Math.min(config.maxDurationSeconds * 1000, Number.parseFloat(String(_delay)) || 0)
}
