import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Operation } from './operation.ts'

export type Route = Operation &
  Pick<RouteOptions, 'method' | 'url' | 'handler' | 'config' | 'onRequest'> &
  Partial<RouteGroup> & {
    /** A wildcard route with the same handler has its requests: opening each route takes time. */
    isOfWildcard?: boolean
    /** In an update: it is no longer served. */
    isGone?: boolean
    /** Fastify waits for it, although its type is that of a synchronous function. */
    errorHandler?: (error: Error, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>
  }

interface RouteGroup {
  /** The file of the handlers. A route with another file names it. */
  file: string
  /** The tag in OpenAPI: the name of the demo. Unset for routes that every instance has. */
  tag?: string
}

export type DeclaredRoute = Route & Required<RouteGroup>

declare module 'fastify' {
  interface FastifyInstance {
    declaredRoutes: DeclaredRoute[]
    /** Each returns new routes, and those with other documentation than was declared, the same object until it changes. */
    routeUpdates: (() => Promise<readonly Route[]>)[]
  }
  interface FastifyContextConfig {
    /** The type without a preference of the client; errors use it too. Text when unset. */
    defaultType?: 'json' | 'html' | 'text'
    mediaType?: string
    pathTemplate?: string
    accepts?: readonly string[]
    hasPath?: (path: string) => Promise<boolean>
    /** Its requests are handled as sent: see decisions/020-raw-requests.md. */
    isRaw?: boolean
    readsBodyItself?: boolean
    bodyTypes?: readonly string[]
    anyHost?: boolean
    keepsMethod?: boolean
    ignoresConditions?: boolean
    acceptsIdempotencyKey?: boolean
    isLogin?: boolean
    isUnlimited?: boolean
    /** The request is not recorded: the inspector would show others what only the owner of the data may see. */
    isUnrecorded?: boolean
    /** Whether it stores something: not with READ_ONLY. */
    isWrite?: boolean
    /** Whether it reads or stores something: its response is that of a sandbox. */
    usesStore?: boolean
    /** Whether HEAD has the response to GET without its content. */
    derivesHead?: boolean
  }
}

export const serviceTag = 'vitrine'

export function registerRoutes(app: FastifyInstance, group: RouteGroup, routes: readonly Route[]) {
  const { tag = serviceTag } = group
  for (const route of routes) {
    app.declaredRoutes.push({ file: group.file, tag, ...route })
    if (route.isOfWildcard) continue
    const methods = [route.method].flat()
    // A route that Fastify adds for HEAD would take as long to open as that for GET.
    const derivesHead = methods.includes('GET') && !methods.includes('HEAD')
    const bodyTypes = route.requestBody && Object.keys(route.requestBody.content)
    const isWrite = route.store === 'writes'
    const readsBodyItself = route.config?.isRaw ?? route.config?.readsBodyItself ?? false
    const config = {
      ...route.config,
      readsBodyItself,
      isWrite,
      usesStore: route.store !== undefined,
      derivesHead,
      ...(bodyTypes && { bodyTypes }),
    }
    const url = toRouterUrl(route.url)
    app.route({ ...route, url, method: derivesHead ? [...methods, 'HEAD'] : methods, config })
  }
}

/** The routes of find-my-way are decoded, and have a colon twice. */
function toRouterUrl(url: string): string {
  return url.includes('%') ? decodeURIComponent(url.replaceAll('%3A', '::')) : url
}

/** `/users/:id(^\\d+$)` → `/users/:id` */
export const withoutPatterns = (url: string): string => url.replace(/(:\w+)\(.*\)/, '$1')
