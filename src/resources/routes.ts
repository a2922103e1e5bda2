import type { Demo, Services } from '../site/demo.ts'
import type { SampleRequest } from '../site/sample-request.ts'
import type { Route } from '../http/openapi/route.ts'
import type { ResourceContext, ResourceRoute } from './context.ts'
import { findCurrent } from './learned-fields.ts'
import type { Resource } from './definition.ts'
import { toLower } from './field-values.ts'
import { getEvents } from './events/events.ts'
import { toSchemas } from './openapi/schemas.ts'
import { toReadRoutes } from './read-routes.ts'
import { toNestedRoutes, toRoutesInParents } from './relations/nested-routes.ts'
import { createContext } from './relations/create-context.ts'
import { toWriteRoutes } from './write-routes.ts'

type ToDialect = (routes: readonly ResourceRoute[], services: Services) => readonly Route[]

export function toResourceDemo(
  resource: Resource,
  resources: readonly Resource[] = [resource],
  toDialect: ToDialect = (routes) => routes,
): Demo & { resource: Resource } {
  const { name, title, summary, path } = resource
  return {
    resource,
    name,
    title,
    summary,
    group: 'Resources',
    page: path,
    segment: { name, ignoresCase: false },
    samples: toSamples(resource, resources.indexOf(resource)),
    lookFor:
      'The same URL has several representations: `Accept` chooses between a page, JSON, text and, for a list, CSV. The version of a record is in `ETag`, and the URL of a created one in `Location`.',
    routes: async (services, app) => {
      const { config, records } = services
      const context = createContext(resource, { config, records, resources })
      await context.collection.index(resource.indexedPaths)
      const events = resource.hasEvents ? [await getEvents(app, resource, records.changes)] : []
      if (resource.allowsUnknown && !resource.hasDialect)
        app.routeUpdates.push(watchRoutes(context))
      const routes = [...toOwnRoutes(context), ...toNestedRoutes(context)]
      return [...toDialect(routes, services), ...events]
    },
  }
}

function toOwnRoutes(context: ResourceContext) {
  const schemas = toSchemas(context.resource)
  return [...toReadRoutes(context, schemas), ...toWriteRoutes(context, schemas)]
}

function watchRoutes(context: ResourceContext) {
  let [last, routes]: [Resource, readonly Route[]] = [context.resource, []]
  return async () => {
    const current = await findCurrent(context)
    if (current.resource !== last) {
      last = current.resource
      routes =
        last === context.resource ? [] : [...toOwnRoutes(current), ...toRoutesInParents(current)]
    }
    return routes
  }
}

const maxFeatured = 5

function toSamples(resource: Resource, index: number): SampleRequest[] {
  const { path, oneRecord, isSingular, isValue } = resource
  const { inputExample } = toSchemas(resource)
  const example: unknown = isValue ? inputExample.value : inputExample
  const body = { type: 'application/json', text: JSON.stringify(example, undefined, 2) }
  // A record is a page by default.
  const accept = 'application/json'
  const toTitle = (title: string, count = maxFeatured) => {
    return { title, ...(index < count && { featured: title }) }
  }
  if (isSingular)
    return [
      { ...toTitle(`Get ${oneRecord}`), method: 'GET', path, accept },
      { title: `Replace ${oneRecord}`, method: 'PUT', path, body },
    ]
  const list = toTitle(`List ${toLower(resource.title)}`)
  const unknown = { path: `${path}/{id}`, parameters: { id: 'unknown' } }
  return [
    { ...list, method: 'GET', path, fields: { q: '', per_page: '3' }, accept },
    { ...toTitle(`Create ${oneRecord}`, 1), method: 'POST', path, body, accept },
    { title: 'Request a record that does not exist', method: 'GET', ...unknown },
  ]
}
