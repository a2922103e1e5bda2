import { pathParameter, textContent } from '../http/openapi/content.ts'
import { documentedMethods, type Parameter, type ResponseDoc } from '../http/openapi/operation.ts'
import type { Route } from '../http/openapi/route.ts'
import { STATUS_CODES } from '../http/node-http.ts'
import type { Bin } from './dialect.ts'
import { findMethods, type Endpoint } from './endpoint.ts'
import { endpoints } from './endpoints.ts'

/** Each endpoint with the methods of its purpose: for one that takes any, GET. */
export function toRouteDocs({ dialect, prefix }: Bin): Omit<Route, 'handler'>[] {
  return endpoints.flatMap((endpoint) => {
    const method = toDocumented(findMethods(endpoint, dialect))
    // The wildcard route has the others, and the service has the root.
    const isOwn = endpoint.path !== '/' || prefix !== ''
    if (method.length === 0 || endpoint.path.endsWith('*') || !isOwn) return []
    const { path, summary, description, file, statuses = [200], mediaTypes } = endpoint
    return {
      method,
      url: path === '/' ? prefix : prefix + path,
      summary,
      ...(file !== undefined && { file }),
      ...(description !== undefined && { description }),
      parameters: toParameters(endpoint),
      responses: Object.fromEntries(
        [...statuses, ...errors].map((status) => [
          status,
          toResponse(status, mediaTypes ?? [dialect.jsonType]),
        ]),
      ),
    }
  })
}

/** Those of the dialect. The others have the form of the service. */
const errors = [400, 403, 404, 413]

function toDocumented(methods: readonly string[]): string[] {
  const listed = methods.filter((method) => documentedMethods.some((one) => one === method))
  return methods.includes('*') || listed.includes('GET') ? ['GET'] : listed
}

function toParameters({ path, parameters = [], samples = {} }: Endpoint): Parameter[] {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  return [
    ...names.map((name) => pathParameter(name, `The ${name}.`, samples[name] ?? '1')),
    ...parameters,
  ]
}

function toResponse(status: number | string, types: readonly string[]): ResponseDoc {
  const own = Object.fromEntries(types.map((type) => [type.replace(/;.*/, ''), {}]))
  const content = { ...own, 'application/json': {}, ...textContent(), 'text/html': {} }
  return { description: STATUS_CODES[status] ?? 'The requested status code.', content }
}
