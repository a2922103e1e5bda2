import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import { notFound } from '../http/errors/http-error.ts'
import { addVary } from '../http/negotiation/negotiate.ts'
import type { Route } from '../http/openapi/route.ts'
import { takeFlash } from '../site/flash.ts'
import type { Html } from '../site/html.ts'
import type { Collection, StoredRecord } from '../stores/records/records.ts'
import type { Resource } from './definition.ts'

export interface ResourceContext {
  resource: Resource
  config: Config
  records: Collection
}

export type Handler = Route['handler']

export const idPattern = '[A-Za-z0-9_-]{1,64}'

/** No other id is routed, or listed in Allow: `new` and `post` are paths below a list. */
export const idParameter = `:id(^(?!(?:new|post)(?:[.]|$))${idPattern}$)`

export function assertFound(
  { singular }: Resource,
  id: string,
  record: StoredRecord | undefined,
): StoredRecord {
  if (record === undefined) throw notFound(`There is no ${singular} with the id ${id}.`)
  return record
}

export function takePageFlash(
  request: FastifyRequest,
  reply: FastifyReply,
  type: string,
): Html | undefined {
  if (type === 'text/html') return takeFlash(request, reply)
  // RFC 9110 §12.5.5: a page at this URL would have depended on the cookie.
  if (request.negotiation?.by !== 'suffix') addVary(reply, 'Cookie')
  return undefined
}
