import type { FastifyRequest } from 'fastify'
import { isObject } from '../../config/is-object.ts'
import { isForm } from '../../http/body/body-reader.ts'
import { unprocessable } from '../../http/errors/http-error.ts'
import { toHttpError } from '../../http/errors/send-error.ts'
import { chooseType } from '../../http/negotiation/negotiate.ts'
import type { Route } from '../../http/openapi/route.ts'
import { toQueryText } from '../../http/request/target.ts'
import { setFlash } from '../../site/flash.ts'
import { sendPage } from '../../site/send-page.ts'
import { assertFound, type Handler, type ResourceContext } from '../context.ts'
import { toRecordName } from '../field-values.ts'
import { selectionName } from '../list/list-menus.ts'
import { renderFailures, type Failure } from './failures-page.ts'
import { assertMayWrite } from './write.ts'
import { writeRecord } from './write-record.ts'

const parseSelection = ({ url }: FastifyRequest) => new URLSearchParams(toQueryText(url))

/** The form of a list is sent to the list: a path of its own would be that of a record. */
export function withSelection<Type extends Route>(route: Type, destroySelected: Handler): Type {
  const isSelection = (request: FastifyRequest) =>
    isForm(request) && parseSelection(request).has(selectionName)
  return {
    ...route,
    handler(request, reply) {
      return (isSelection(request) ? destroySelected : route.handler).call(this, request, reply)
    },
    errorHandler(error, request, reply) {
      if (isSelection(request) || !route.errorHandler) throw error
      return route.errorHandler(error, request, reply)
    },
  }
}

/** How one record is deleted: a dialect also changes other records than the service does. */
type ToContext = (id: string, request: FastifyRequest) => Promise<ResourceContext>

/** Each record is deleted as by a DELETE of its own: one that fails keeps no other. */
export function destroyMany(context: ResourceContext, toContext?: ToContext): Handler {
  const { resource } = context
  return async (request, reply) => {
    chooseType(request, reply, ['text/html'])
    const chosen = parseChosen(request.body)
    const failures: Failure[] = []
    for (const { id, tag } of chosen) {
      const headers = { ...request.headers, ...(tag && { 'if-match': tag }) }
      let name = id
      try {
        await writeRecord((await toContext?.(id, request)) ?? context, id, (current) => {
          const found = assertFound(resource, id, current)
          name = toRecordName(resource, found)
          assertMayWrite({ headers, raw: { headers } }, context, found)
          return undefined
        })
      } catch (error) {
        failures.push({ id, name, error: toHttpError(error, request) })
      }
    }
    const query = parseSelection(request)
    query.delete(selectionName)
    const list = query.size === 0 ? resource.path : `${resource.path}?${query.toString()}`
    const [first] = failures
    if (first)
      return sendPage(
        reply.code(first.error.status),
        renderFailures(resource, failures, { count: chosen.length, list }),
      )
    setFlash(request, reply, { deleted: chosen.length })
    return reply.redirect(list, 303)
  }
}

/** An id, or the entity tag of the record that the list showed, a space and its id. */
function parseChosen(body: unknown) {
  const given: unknown = isObject(body) ? body.delete : undefined
  const texts: unknown[] = [given ?? []].flat()
  const chosen = texts.map((text) => {
    const [, tag, id] = typeof text === 'string' ? (/^(?:("[^"]*") )?(.+)$/s.exec(text) ?? []) : []
    if (id === undefined)
      throw unprocessable([{ field: 'delete', message: 'must be a list of ids' }])
    return { id, tag }
  })
  // The same id twice is one record.
  if (chosen.length > 0) return new Map(chosen.map((each) => [each.id, each])).values().toArray()
  throw unprocessable([{ field: 'delete', message: 'must have at least one id: select a record' }])
}
