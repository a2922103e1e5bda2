import type { ErrorShape } from '../errors/send-error.ts'
import { isUnder } from '../request/target.ts'
import { collectComponents } from './component.ts'
import { exampleContent } from './content.ts'
import { toErrorResponse, toErrorStatuses } from './errors.ts'
import {
  documentedMethods,
  type DocumentedMethod,
  type ErrorStatus,
  type Operation,
  type Parameter,
  type Reference,
  type ResponseDoc,
} from './operation.ts'
import { withoutPatterns, type DeclaredRoute } from './route.ts'

/** An operation in the document. */
export interface DocumentedOperation extends Pick<
  Operation,
  'summary' | 'description' | 'parameters' | 'requestBody'
> {
  operationId: string
  tags: readonly string[]
  security?: readonly Readonly<Record<string, readonly string[]>>[]
  responses: NonNullable<Operation['responses']>
}

export interface OpenApiDocument {
  openapi: string
  info: Readonly<Record<string, unknown>>
  servers: readonly { url: string }[]
  security: readonly Readonly<Record<string, readonly string[]>>[]
  tags: readonly { name: string; description: string }[]
  paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
  components: Readonly<Record<string, Readonly<Record<string, object>>>>
}

interface DocumentParts extends Pick<OpenApiDocument, 'info' | 'tags'> {
  routes: readonly DeclaredRoute[]
  shapes: readonly ErrorShape[]
  /** The error statuses of the configured limits, which apply to every route but the probes. */
  limits: readonly ErrorStatus[]
}

/** The OpenAPI 3.1 document of the routes. Wildcards are left out. */
export function toDocument({ info, tags, routes, ...errors }: DocumentParts): OpenApiDocument {
  const paths: Record<string, Record<string, DocumentedOperation>> = {}
  for (const route of routes.filter(({ url }) => !url.endsWith('*'))) {
    const path = toTemplate(route.url)
    for (const method of toDocumentedMethods(route)) {
      const operation = toOperation({ ...route, method, path }, errors)
      paths[path] = { ...paths[path], [method.toLowerCase()]: operation }
    }
  }
  const operations = Object.values(paths).flatMap((ofPath) => Object.values(ofPath))
  const used = new Set(operations.flatMap((operation) => operation.tags))
  return {
    openapi: '3.1.1',
    info,
    servers: [{ url: '/' }],
    // No session is required where an operation names none.
    security: [],
    tags: tags.filter(({ name }) => used.has(name)),
    paths,
    components: { ...collectComponents(paths), ...securitySchemes(operations) },
  }
}

function toDocumentedMethods({ method }: DeclaredRoute): readonly DocumentedMethod[] {
  const methods: readonly string[] = [method].flat()
  return documentedMethods.filter((documented) => methods.includes(documented))
}

/** `/users/:id` → `/users/{id}`; the pattern of a parameter is in its schema. */
export function toTemplate(url: string): string {
  return withoutPatterns(url).replace(/:(\w+)/g, '{$1}')
}

function securitySchemes(operations: readonly DocumentedOperation[]) {
  const session = {
    type: 'apiKey',
    in: 'cookie',
    name: 'session',
    description: 'Set by POST /login. Over HTTPS its name is `__Host-session`.',
  }
  const isUsed = operations.some(({ security }) => security !== undefined)
  return isUsed ? { securitySchemes: { session } } : {}
}

type Endpoint = DeclaredRoute & { method: DocumentedMethod; path: string }

function toOperation(
  endpoint: Endpoint,
  { shapes, limits }: Pick<DocumentParts, 'shapes' | 'limits'>,
): DocumentedOperation {
  const { method, path, tag, summary, description, parameters, requestBody, session } = endpoint
  const shape = shapes.find(({ under }) => isUnder(under, path))
  const ofLimits = isUnder('/health', path) ? [] : limits
  const statuses = toErrorStatuses(method, endpoint, ofLimits)
  const errors = statuses.map((status) => [status, toErrorResponse(status, shape)] as const)
  return {
    operationId: toOperationId(endpoint),
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    ...(session && { security: [...(session === 'optional' ? [{}] : []), { session: [] }] }),
    ...(parameters && { parameters }),
    ...(requestBody && { requestBody }),
    responses: { ...Object.fromEntries(errors), ...toResponses(endpoint) },
  }
}

function toResponses({ responses, content, example, config }: Endpoint) {
  const isJson = config?.defaultType === 'json'
  const whole = content ?? exampleContent(example, isJson)
  return responses ?? { 200: { description: 'Success.', content: whole } }
}

/** `GET /users/{id}.json` → `getUsersIdJson` */
function toOperationId({ method, path }: Endpoint): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  const name = words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join('')
  return `${method.toLowerCase()}${name || 'Home'}`
}

/** The component that a reference names; anything else is returned as it is. */
export function resolve<Thing extends ResponseDoc | Parameter>(
  { components }: OpenApiDocument,
  thing: Thing | Reference,
): Thing {
  if (!('$ref' in thing)) return thing
  const [, , kind = '', name = ''] = thing.$ref.split('/')
  return components[kind]?.[name] as Thing
}
