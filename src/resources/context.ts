import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import { toPathParameter } from '../http/request/path-parameter.ts'
import { notFound } from '../http/errors/http-error.ts'
import type { Collection, StoredRecord } from '../stores/records/records.ts'
import type { Resource } from './definition.ts'

/** What every handler of a resource works on. */
export interface ResourceContext {
  resource: Resource
  config: Config
  records: Collection
}

export type Handler = (
  request: FastifyRequest,
  reply: FastifyReply,
) => FastifyReply | Promise<FastifyReply>

/** The ids that can exist, as in a regular expression. */
export const idPattern = '[A-Za-z0-9_-]{1,64}'

/** The paths below a list that name no record. */
const reservedIds = ['new', 'post'] as const

/** The parameter of every route of one record: no other id is routed, or listed in Allow. */
export const idParameter = `:id(^(?!(?:${reservedIds.join('|')})(?:[.]|$))${idPattern}$)`

export function toId(request: FastifyRequest): string {
  return toPathParameter(request, 'id')
}

export async function loadRecord(
  { resource, records }: ResourceContext,
  id: string,
): Promise<StoredRecord> {
  const record = await records.find(id)
  if (record === undefined) throw unknownId(resource, id)
  return record
}

export function unknownId({ singular }: Resource, id: string) {
  return notFound(`There is no ${singular} ${id}.`)
}
