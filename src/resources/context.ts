import type { Config } from '../config/config.ts'
import type { Route } from '../http/openapi/route.ts'
import { idPattern, type Collection } from '../stores/records/records.ts'
import type { Resource } from './definition.ts'

export interface ResourceContext {
  resource: Resource
  config: Config
  collection: Collection
}

export type Handler = Route['handler']

/** No other id is routed, or listed in Allow: `new` and `post` are paths below a list. */
export const idParameter = `:id(^(?!(?:new|post)(?:[.]|$))${idPattern}$)`
