import { jsonContent } from '../http/openapi/content.ts'
import { sendChunks } from '../http/response/send.ts'
import { defineResource, type ResourceDefinition } from '../resources/definition.ts'
import { writeAll } from '../resources/record/all-records.ts'
import { toResourceDemo } from '../resources/routes.ts'
import type { Demo, Services } from '../site/demo.ts'
import { toDialect } from './routes.ts'
import { toShown, type Context } from './context.ts'

export function createJsonServer(
  version: Context['version'],
  definitions: readonly ResourceDefinition[],
): Demo[] {
  const resources = definitions.map((definition) => {
    return defineResource({ ...definition, allowsUnknown: true, hasDialect: true })
  })
  const toContexts = ({ config, records }: Services): readonly Context[] => {
    const contexts: Context[] = []
    for (const resource of resources) {
      const collection = records.collection(resource.name)
      // json-server checks no references.
      contexts.push({ version, contexts, records, config, resource, collection, relations: [] })
    }
    return contexts
  }
  const demos = resources.map((resource, index) =>
    toResourceDemo(resource, resources, (routes, services) => {
      const context = toContexts(services)[index]
      return context ? toDialect(context, routes) : routes
    }),
  )
  return [...demos, allDemo(toContexts)].map((demo) => {
    return { ...demo, segment: { name: demo.name, ignoresCase: version === '0.17' } }
  })
}

function allDemo(toContexts: (services: Services) => readonly Context[]): Demo {
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
        file: 'src/json-server/json-server.ts',
        content: jsonContent({ type: 'object' }, {}),
        store: 'reads',
        handler: (_request, reply) => {
          reply.header('cache-control', 'private, no-cache')
          return sendChunks(reply, 'application/json', writeAll(toContexts(services), toShown))
        },
      },
    ],
  }
}
