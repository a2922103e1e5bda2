import type { Demo } from '../site/demo.ts'
import { html } from '../site/html.ts'
import type { Resource } from './definition.ts'
import { eventsRoute } from './events/events.ts'
import { toSchemas } from './openapi/schemas.ts'
import { readRoutes } from './read-routes.ts'
import { nestedRoutes } from './relations/nested-routes.ts'
import { createContext } from './relations/create-context.ts'
import { writeRoutes } from './write-routes.ts'

/** `resources` may reference each other. */
export function resourceDemo(
  resource: Resource,
  resources: readonly Resource[] = [resource],
): Demo & { resource: Resource } {
  const { name, title, summary, path, singular } = resource
  const schemas = toSchemas(resource)
  const { inputExample } = schemas
  return {
    resource,
    name,
    title,
    summary,
    group: 'Resources',
    page: path,
    samples: [
      {
        title: `List ${name}`,
        method: 'GET',
        path,
        fields: { q: '', per_page: '3' },
        featured: `List ${name}`,
      },
      {
        title: `Create a ${singular}`,
        method: 'POST',
        path,
        body: { type: 'application/json', text: JSON.stringify(inputExample, undefined, 2) },
        featured: `Create a ${singular}`,
      },
      {
        title: 'Request a record that does not exist',
        method: 'GET',
        path: `${path}/{id}`,
        parameters: { id: 'unknown' },
      },
    ],
    lookFor: html`The same URL has several representations: <code>Accept</code> chooses between a page, JSON, text and
CSV. A created record has its URL in <code>Location</code> and its version in <code>ETag</code>.`,
    routes: async ({ config, records }, app) => {
      const context = createContext(resource, { config, records, resources })
      await context.collection.index(resource.indexedPaths)
      const own = [...readRoutes(context, schemas), ...writeRoutes(context, schemas)]
      const events = resource.hasEvents ? [await eventsRoute(app, resource, records.changes)] : []
      return [...own, ...nestedRoutes(context), ...events]
    },
  }
}
