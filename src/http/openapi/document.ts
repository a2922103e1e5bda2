import type { FastifyInstance, RouteOptions } from 'fastify'
import type { ErrorShape } from '../errors/send-error.ts'
import { isUnder } from '../request/target.ts'
import { collectComponents } from './component.ts'
import {
  methodsOf,
  withoutPatterns,
  type ResponseDoc,
  type DocumentedMethod,
  type Operation,
  type Parameter,
  type Reference,
  type ErrorStatus,
} from './operation.ts'
import { toErrorResponse, toErrorStatuses } from './errors.ts'

/** An operation as the document has it. */
export interface DocumentedOperation extends Omit<Operation, 'refusals' | 'store' | 'session'> {
  operationId: string
  security?: readonly Readonly<Record<string, readonly string[]>>[]
  tags: readonly string[]
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

/** Follows the routes as they are added, and gives them when all are there. */
export function watchRoutes(app: FastifyInstance): () => readonly RouteOptions[] {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => {
    // What a wildcard answers is not known from the routes.
    if (!route.url.endsWith('*')) routes.push(route)
  })
  return () => routes
}

interface DocumentParts extends Pick<OpenApiDocument, 'info' | 'tags'> {
  routes: readonly RouteOptions[]
  shapes: readonly ErrorShape[]
  /** With what the limits of this service refuse, whatever the route; but for the probes. */
  limits: readonly ErrorStatus[]
}

/** The OpenAPI 3.1 document of all routes that describe themselves. */
export function toDocument(parts: DocumentParts): OpenApiDocument {
  const { info, tags, routes, shapes, limits } = parts
  const paths: Record<string, Record<string, DocumentedOperation>> = {}
  for (const { url, method: methods, config } of routes) {
    if (config?.operation === undefined) continue
    const path = toTemplate(url)
    for (const method of methodsOf(methods)) {
      const ofPath = (paths[path] ??= {})
      ofPath[method.toLowerCase()] = toDocumented(
        { method, path, shapes, limits },
        config.operation,
      )
    }
  }
  const used = new Set(Object.values(paths).flatMap((ofPath) => Object.values(ofPath).map(toTag)))
  return {
    openapi: '3.1.1',
    info,
    servers: [{ url: '/' }],
    // Without a session, unless the operation says more.
    security: [],
    tags: tags.filter(({ name }) => used.has(name)),
    paths,
    components: { ...collectComponents(paths), ...securityOf(paths) },
  }
}

/** `/users/:id` → `/users/{id}`; the pattern of a parameter is in its schema. */
export function toTemplate(url: string): string {
  return withoutPatterns(url).replace(/:(\w+)/g, '{$1}')
}

/** The cookie that POST /login sets. */
function securityOf(paths: OpenApiDocument['paths']) {
  const hasSession = Object.values(paths)
    .flatMap((ofPath) => Object.values(ofPath))
    .some(({ security }) => security !== undefined)
  const session = {
    type: 'apiKey',
    in: 'cookie',
    name: 'session',
    description: 'Set by POST /login; over HTTPS its name is `__Host-session`.',
  }
  return hasSession ? { securitySchemes: { session } } : {}
}

interface Endpoint extends Pick<DocumentParts, 'shapes' | 'limits'> {
  method: DocumentedMethod
  path: string
}

function toDocumented(
  place: Endpoint,
  operation: Operation & { tag: string },
): DocumentedOperation {
  const { tag, summary, description, parameters, requestBody, responses, session } = operation
  const shape = place.shapes.find(({ under }) => isUnder(under, place.path))
  const limits = isUnder('/health', place.path) ? [] : place.limits
  const refusals = [...limits, ...(operation.errors ?? [])]
  const refused = toErrorStatuses(place.method, { ...operation, errors: refusals }).map(
    (status) => [status, toErrorResponse(status, shape)] as const,
  )
  return {
    operationId: toOperationId(place),
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    ...(session && { security: [...(session === 'optional' ? [{}] : []), { session: [] }] }),
    ...(parameters && { parameters }),
    ...(requestBody && { requestBody }),
    responses: { ...Object.fromEntries(refused), ...responses },
  }
}

/** `GET /users/{id}.json` → `getUsersIdJson` */
function toOperationId({ method, path }: Endpoint): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  const name = words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join('')
  return `${method.toLowerCase()}${name || 'Home'}`
}

function toTag({ tags: [tag = ''] }: DocumentedOperation): string {
  return tag
}

/** What a reference of the document stands for; anything else stands for itself. */
export function resolve<Thing extends ResponseDoc | Parameter>(
  { components }: OpenApiDocument,
  thing: Thing | Reference,
): Thing {
  if (!('$ref' in thing)) return thing
  const [, , kind = '', name = ''] = thing.$ref.split('/')
  return components[kind]?.[name] as Thing
}
