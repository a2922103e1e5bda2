import type { FastifyInstance, RouteOptions } from 'fastify'
import type { Operation } from './operation.ts'

type RouteParts = 'method' | 'url' | 'handler' | 'config' | 'errorHandler' | 'onRequest'

/** A route together with its documentation. */
export interface Route extends Operation, Pick<RouteOptions, RouteParts> {}

/** The routes of one file. */
interface RouteGroup {
  /** Absolute, or relative to the root of the project. */
  file: string
  /** The tag in OpenAPI: the name of the demo. Unset for routes that every instance has. */
  tag?: string
}

export type DeclaredRoute = Route & Required<RouteGroup>

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route of the service, with its documentation. */
    declaredRoutes: DeclaredRoute[]
  }
}

export const serviceTag = 'vitrine'

/** Adds the routes to the app and to its documentation. HEAD and OPTIONS are added by themselves. */
export function registerRoutes(
  app: FastifyInstance,
  { file, tag = serviceTag }: RouteGroup,
  routes: readonly Route[],
): void {
  for (const route of routes) {
    app.declaredRoutes.push({ ...route, file, tag })
    app.route(route)
  }
}

/** `/users/:id(^\\d+$)` → `/users/:id` */
export function withoutPatterns(url: string): string {
  return url.replace(/(:\w+)\(.*\)/, '$1')
}
