import type { FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import { maxIdLength } from '../config/limits.ts'
import { notFound } from '../http/errors/http-error.ts'
import type { Route } from '../http/openapi/route.ts'
import { typeBySuffix } from '../http/negotiation/negotiate.ts'
import { toPathParameter } from '../http/request/target.ts'
import {
  idPattern,
  type Collection,
  type Records,
  type StoredRecord,
} from '../stores/records/records.ts'
import type { Resource, ResourceReference } from './definition.ts'
import { toLower } from './field-values.ts'

export interface ResourceContext {
  resource: Resource
  config: Config
  /** Its writes throw where a reference, a unique field or a rule of deletion forbids them. */
  collection: Collection
  records: Records
  relations: readonly Relation[]
  learned?: Collection
}

export interface Relation extends Pick<ResourceReference, 'field' | 'onDelete' | 'isInferred'> {
  name: string
  isToParent: boolean
  /** Numbers reference no record. */
  isTextOnly?: boolean
  other: ResourceContext
}

export type Handler = Route['handler']

export interface ResourceRoute extends Route {
  /** What its JSON does, which a dialect may do in another way. Unset for forms and events. */
  operation?: 'list' | 'show' | 'create' | 'change' | 'remove'
  nested?: string
}

/** The fields that a request has by its path. Throws 404 if there is no such path. */
export type FindFixed = (
  request: FastifyRequest,
) => Promise<Readonly<Record<string, string | number>>>

const suffixPattern = `[.](?:${Object.keys(typeBySuffix).join('|')})$`
// RFC 3986 §6.2.2.3: clients remove the segments `.` and `..`.
const storedIdPattern = `(?![.]{1,2}$)[^\\u0000-\\u001f\\u007f-\\u009f]{1,${String(maxIdLength)}}`

/** No other id is routed, or listed in Allow: `new`, `post` and `events` are paths below a list. */
function toIdPattern({ storesId }: Pick<Resource, 'storesId'>, isSuffixed: boolean): string {
  const named = storesId && !isSuffixed ? `|.*${suffixPattern}` : ''
  const paths = storesId ? 'new|post|events' : 'new|post'
  return `^(?!(?:${paths})(?:[.]|$)${named})${storesId ? storedIdPattern : idPattern}$`
}

export const routableId = new RegExp(toIdPattern({ storesId: true }, false))

export const isRoutableId = (id: string): boolean => routableId.test(id) && id.isWellFormed()

export function toRecordRoute(resource: Resource, end = ''): string {
  const { path, isSingular } = resource
  if (isSingular) return path + end
  return `${path}/:id(${toIdPattern(resource, end.startsWith('.'))})${end}`
}

export const singularId = 'singular'

export function toRecordId(resource: Resource, request: FastifyRequest): string {
  return resource.isSingular ? singularId : toPathParameter(request, 'id')
}

export function toRecordPath({ path, isSingular }: Resource, id: string): string {
  return isSingular ? path : `${path}/${encodeURIComponent(id)}`
}

export function assertFound(resource: Resource, id: string, record: StoredRecord | undefined) {
  if (record !== undefined) return record
  const which = resource.isSingular ? '' : ` with the id ${id}`
  throw notFound(`There is no ${resource.singular}${which}.`, toListLink(resource))
}

export function toListLink({ path, title, isSingular }: Resource) {
  return isSingular ? undefined : ([path, `All ${toLower(title)}`] as const)
}

export function sortTypes<Type extends string>(
  { defaultType }: Resource,
  types: readonly Type[],
): readonly Type[] {
  return types.toSorted((one, other) => Number(other === defaultType) - Number(one === defaultType))
}

export function toRouteConfig({ defaultType }: Resource) {
  return defaultType === 'application/json' ? ({ defaultType: 'json' } as const) : {}
}
