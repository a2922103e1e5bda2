import type { ErrorShape } from '../errors/send-error.ts'
import type { OwnCookie } from '../security/own-secrets.ts'
import { isUnder } from '../request/target.ts'
import { collectComponents, isReference } from './component.ts'
import { exampleContent, textContent } from './content.ts'
import { toErrorResponses } from './errors.ts'
import { documentedMethods, type DocumentedMethod, type ErrorStatus } from './operation.ts'
import { withoutPatterns, type DeclaredRoute } from './route.ts'

export type DocumentedOperation = ReturnType<typeof toOperation> & { operationId: string }

export type OpenApiDocument = ReturnType<typeof toDocument>

export interface DocumentParts {
  info: Readonly<Record<string, unknown>>
  tags: readonly { name: string; description: string }[]
  routes: readonly DeclaredRoute[]
  shapes: readonly ErrorShape[]
  limits: readonly ErrorStatus[]
}

/** Any path of a demo, and the files of pages: a client calls neither. */
const unlisted = /\*$|^\/(assets\/|(favicon\.ico|robots\.txt)$)/
/** The `/robots.txt` of httpbin at the root is an endpoint. */
const isListed = ({ url, config }: DeclaredRoute) =>
  !unlisted.test(url) || (url === '/robots.txt' && config?.isRaw === true)

export function toDocument({ info, tags, routes, ...errors }: DocumentParts) {
  const paths: Record<string, Record<string, DocumentedOperation>> = {}
  const toId = createOperationIds(routes)
  for (const route of routes.filter(isListed)) {
    const path = toTemplate(route.url)
    for (const method of toMethods(route)) {
      const operationId = toId({ method, path })
      const operation = { operationId, ...toOperation({ ...route, method, path }, errors) }
      paths[path] = { ...paths[path], [method.toLowerCase()]: operation }
    }
  }
  const operations = Object.values(paths).flatMap((ofPath) => Object.values(ofPath))
  const used = new Set(operations.flatMap((operation) => operation.tags))
  const components = collectComponents(paths)
  const cookies = routes.flatMap(({ cookie }) => cookie ?? [])
  const schemes = Object.fromEntries(cookies.map((cookie) => [cookie.http, toScheme(cookie)]))
  if (cookies.length > 0) components.securitySchemes = schemes
  return {
    openapi: '3.1.1',
    info,
    servers: [{ url: '/' }],
    security: [],
    tags: tags.filter(({ name }) => used.has(name)),
    paths,
    components,
  }
}

const toScheme = ({ http, https }: OwnCookie) => ({
  type: 'apiKey',
  in: 'cookie',
  name: http,
  description: `Set by a login. Over HTTPS its name is \`${https}\`.`,
})

/** `/users/:id` → `/users/{id}`; the pattern of a parameter is in its schema. */
export const toTemplate = (url: string): string => withoutPatterns(url).replace(/:(\w+)/g, '{$1}')

type DocumentedRoute = DeclaredRoute & { method: DocumentedMethod; path: string }

function toOperation(endpoint: DocumentedRoute, errors: Pick<DocumentParts, 'shapes' | 'limits'>) {
  const { method, path, tag, summary, description, parameters, requestBody, cookie, config } =
    endpoint
  const shape = errors.shapes.find(({ under }) => isUnder(under, path))
  const ofLimits = config?.isUnlimited ? [] : errors.limits
  return {
    tags: [tag],
    summary,
    description,
    security: cookie && [...(cookie.isOptional ? [{}] : []), { [cookie.http]: [] }],
    parameters,
    // RFC 9110 §9.3.1, §9.3.5: content in GET and DELETE has no defined meaning.
    requestBody: /^(GET|DELETE)$/.test(method) ? undefined : requestBody,
    responses: {
      ...toErrorResponses(endpoint, ofLimits, shape),
      ...Object.fromEntries(
        Object.entries(toResponses(endpoint)).map(([status, one]) => [status, toJsonFirst(one)]),
      ),
    },
  }
}

type OperationResponses = NonNullable<DocumentedRoute['responses']>

function toResponses({
  responses,
  example,
  config,
  ...route
}: DocumentedRoute): OperationResponses {
  const isJson = config?.defaultType === 'json'
  const ofText = textContent(typeof example === 'string' ? example : undefined)
  const content = route.content ?? (isJson ? exampleContent(example) : ofText)
  return responses ?? { 200: { description: 'Success.', content } }
}

/** Generators of clients take the first type, and a page has no schema. */
function toJsonFirst(response: OperationResponses[string]): OperationResponses[string] {
  if (isReference(response) || !response.content) return response
  const types = Object.entries(response.content)
  const isJson = ([type]: (typeof types)[number]) => Number(/[/+]json$/.test(type))
  const sorted = types.toSorted((one, other) => isJson(other) - isJson(one))
  return { ...response, content: Object.fromEntries(sorted) }
}

const toMethods = ({ method }: Pick<DeclaredRoute, 'method'>) =>
  documentedMethods.filter((one) => [method].flat().includes(one))

type OperationKey = Pick<DocumentedRoute, 'method' | 'path'>

/** Unique: of `/user-groups` and `/userGroups`, the route that was declared last has no number. */
export function createOperationIds(routes: readonly DeclaredRoute[]) {
  const toOperationKey = ({ method, path }: OperationKey) => `${method} ${path}`
  const counts = new Map<string, number>()
  const ids = new Map<string, string>()
  for (const { url, method: methods } of routes.toReversed()) {
    for (const method of toMethods({ method: methods })) {
      const operation = { method, path: toTemplate(url) }
      if (ids.has(toOperationKey(operation))) continue
      const id = toOperationId(operation)
      const count = (counts.get(id) ?? 0) + 1
      counts.set(id, count)
      ids.set(toOperationKey(operation), count === 1 ? id : `${id}_${String(count)}`)
    }
  }
  return (operation: OperationKey) => ids.get(toOperationKey(operation)) ?? toOperationId(operation)
}

/** A resource of a data file does not rename the routes of the service itself. */
export function toOperationId({ method, path }: OperationKey): string {
  const words = path.match(/[A-Za-z0-9]+/g) ?? ['home']
  const name = words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join('')
  return `${method.toLowerCase()}${name}`
}
