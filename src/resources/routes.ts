import type { Demo } from '../site/demo.ts'
import type { Resource } from './definition.ts'
import { toSchemas } from './openapi/schemas.ts'
import { readRoutes } from './read-routes.ts'
import { writeRoutes } from './write-routes.ts'

export function resourceDemo(resource: Resource): Demo & { resource: Resource } {
  const { name, title, summary, path } = resource
  return {
    resource,
    name,
    title,
    summary,
    links: [
      { href: path, label: `All ${title.toLowerCase()}` },
      { href: `${path}/new`, label: `New ${resource.singular}` },
    ],
    tryOut: { method: 'GET', path: `${path}.json`, fields: { q: '', per_page: '3' } },
    routes: async ({ config, records }) => {
      const collection = records.collection(name)
      await collection.index(resource.indexed ?? [])
      const context = { resource, config, collection }
      const schemas = toSchemas(resource)
      return [...readRoutes(context, schemas), ...writeRoutes(context, schemas)]
    },
  }
}
