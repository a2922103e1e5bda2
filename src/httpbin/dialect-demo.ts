import type { FastifyInstance } from 'fastify'
import { STATUS_CODES } from '../http/node-http.ts'
import { pathParameter, queryParameters, textContent } from '../http/openapi/content.ts'
import { documentedMethods, type Parameter, type ResponseDoc } from '../http/openapi/operation.ts'
import type { Route } from '../http/openapi/route.ts'
import { ownCookies } from '../http/security/own-secrets.ts'
import { allowUpgrade } from '../http/upgrades.ts'
import { isAlone, type Demo } from '../site/demo.ts'
import type { Dialect, Mount } from './dialect.ts'
import type { DialectEndpoint } from './endpoint.ts'
import { endpoints, listEndpoints } from './endpoints.ts'
import { webSocketPath } from './endpoints/websocket.ts'
import { createHandler } from './handler.ts'
import { toRoutePath } from './matcher.ts'

type DemoTexts = Pick<Demo, 'title' | 'summary' | 'lookFor' | 'samples'>

export function toDialectDemo(dialect: Dialect, texts: DemoTexts): Demo {
  const { name } = dialect
  return {
    name,
    ...texts,
    group: 'Requests and responses',
    routes: (services, app) => {
      const isAtRoot = isAlone(name, services)
      const mount = { dialect, config: services.config, ownCookies: isAtRoot ? [] : ownCookies }
      return [...(isAtRoot ? [''] : []), `/${name}`].flatMap((prefix, index) =>
        toRoutes({ ...mount, prefix }, app, index === 0),
      )
    },
  }
}

const firstSegments = new Set(endpoints.map(({ path }) => path.replace(/(?<=.)\/.*/, '')))
firstSegments.delete('/')

/** One handler for all: its matcher knows the rules of the dialect for paths and methods. */
function toRoutes(mount: Mount, app: FastifyInstance, isDocumented: boolean): readonly Route[] {
  allowUpgrade(app, (path) => path === mount.prefix + webSocketPath)
  const handler = createHandler(mount)
  const config = { isRaw: true }
  const documented = isDocumented
    ? documentRoutes(mount).map((route) => {
        return { ...route, config, handler, isOfWildcard: route.url !== mount.prefix }
      })
    : []
  const file = 'src/httpbin/handler.ts'
  const rest = { method: app.supportedMethods, summary: 'Any other path or method' }
  const toRest = (start: string) => ({ ...rest, file, config, handler, url: `${start}/*` })
  // At the root, the paths that only the other dialect has are raw too.
  const others = mount.prefix === '' ? [...firstSegments] : []
  const ofOthers = others.map((start) => ({ ...toRest(start), isOfWildcard: true }))
  return [...documented, ...ofOthers, toRest(mount.prefix)]
}

function documentRoutes(mount: Mount): Omit<Route, 'handler'>[] {
  const { dialect, prefix } = mount
  return listEndpoints(dialect).flatMap((endpoint) => {
    const { path, file, summary, description, query = {} } = endpoint
    const method = endpoint.methods.includes('*')
      ? [...documentedMethods]
      : endpoint.methods.filter((one) => one !== 'HEAD')
    const url = prefix + (path === '/' ? '' : toRoutePath(path))
    // The wildcard route has the others, and the service has the root.
    if (method.length === 0 || path.endsWith('*') || url === '') return []
    const inPath = path
      .matchAll(/:(\w+)=([^/]*)/g)
      .map(([, name = '', example = '']) => pathParameter(name, `The ${name}.`, example))
    const inQuery = queryParameters(query).map((one) => ({
      ...one,
      ...(endpoint.requiresQuery && { required: true }),
    }))
    const schemas = endpoint.toSchemas?.(mount) ?? {}
    const parameters = [...inPath, ...inQuery].map((one): Parameter => {
      const { [one.name]: schema } = schemas
      const number = Number(one.example)
      return schema ? { ...one, schema, example: Number.isNaN(number) ? one.example : number } : one
    })
    return {
      method,
      url,
      file,
      summary,
      parameters,
      ...(description !== undefined && { description }),
      responses: toResponses(endpoint, dialect),
    }
  })
}

/** Other errors have the form of the service. */
const errors = [400, 403, 404, 413]

/** httpbin sends the challenge alone, and go-httpbin redirects without a page. */
const emptyStatuses = { httpbin: /^(101|304|401)$/, 'go-httpbin': /^(101|3..)$/ }

function toResponses(endpoint: Omit<DialectEndpoint, 'methods'>, { name, jsonType }: Dialect) {
  const { statuses = [200], mediaTypes = [jsonType.replace(/;.*/, '')] } = endpoint
  const own = Object.fromEntries(mediaTypes.map((type) => [type, {}]))
  const content = { ...own, 'application/json': {}, ...textContent(), 'text/html': {} }
  const toResponse = (status: number | string): ResponseDoc => ({
    description: STATUS_CODES[status] ?? 'The requested status code.',
    ...(!emptyStatuses[name].test(String(status)) && { content }),
  })
  return Object.fromEntries([...statuses, ...errors].map((one) => [one, toResponse(one)]))
}
