import { jsonContent } from '../http/openapi/content.ts'
import { defineResource, type ResourceDefinition } from '../resources/definition.ts'
import { resourceDemo } from '../resources/routes.ts'
import type { Demo, Services } from '../site/demo.ts'
import { showAll } from './read.ts'
import { toDialect } from './routes.ts'
import type { JsonServer } from './server.ts'

/** The demos of the resources of a data file, with the responses of json-server, and one for `/db`. */
export function createJsonServer(
  version: JsonServer['version'],
  definitions: readonly ResourceDefinition[],
): Demo[] {
  const resources = definitions.map((definition) => {
    // A page deletes as the dialect does.
    const onDelete = version === '1' ? 'set null' : 'cascade'
    const references = definition.references?.map((each) => ({ ...each, onDelete }) as const)
    return defineResource({ ...definition, references: references ?? [], allowsUnknown: true })
  })
  const toServer = ({ config, records }: Services): JsonServer => {
    const contexts = resources.map((resource) => {
      // json-server checks no references.
      return { resource, config, collection: records.collection(resource.name), relations: [] }
    })
    return { version, contexts, records, config }
  }
  const demos = resources.map((resource): Demo => {
    const { routes, ...demo } = resourceDemo(resource, resources)
    return {
      ...demo,
      routes: async (services, app) => {
        const server = toServer(services)
        const context = server.contexts.find((known) => known.resource === resource)
        const own = typeof routes === 'function' ? await routes(services, app) : routes
        return context ? toDialect(server, context, own) : own
      },
    }
  })
  return [...demos, allDemo(toServer)]
}

function allDemo(toServer: (services: Services) => JsonServer): Demo {
  return {
    name: 'db',
    title: 'Database',
    summary: 'All resources of the file, as they are now.',
    group: 'Resources',
    page: '/db',
    routes: (services) => [
      {
        method: 'GET',
        url: '/db',
        summary: 'Get all resources in one object',
        file: 'src/json-server/read.ts',
        responses: {
          200: { description: 'By name.', content: jsonContent({ type: 'object' }, {}) },
        },
        store: 'reads',
        handler: showAll(toServer(services)),
      },
    ],
  }
}
