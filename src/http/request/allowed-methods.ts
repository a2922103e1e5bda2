import type { FastifyContextConfig, FastifyInstance, RouteOptions } from 'fastify'
import createRouter, { type HTTPMethod } from 'find-my-way'
import { toMediaTypeList } from './structured-field.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    accepts?: readonly string[]
    /** Of a wildcard route: whether it has this path. Every path when unset. */
    hasPath?: (path: string) => Promise<boolean>
  }
  interface FastifyInstance {
    findAllowedMethods: AllowedMethodsFinder
  }
}

export interface AllowedMethods {
  methods: readonly string[]
  /** Whether JSON is the default type of all its routes, and so of errors. */
  isJson: boolean
  headers: Readonly<Record<string, string>>
}

export type AllowedMethodsFinder = (path: string) => AllowedMethods | undefined

export type PathFinder = (path: string) => Promise<boolean>

const methods = ['GET', 'HEAD', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/**
 * Collects the routes as they are added: Fastify's router cannot list the methods of a path, which 405
 * (RFC 9110 §15.5.6) and OPTIONS (§9.3.7) need.
 */
export function collectAllowedMethods(
  app: FastifyInstance,
  maxUrlBytes: number,
): { findAllowedMethods: AllowedMethodsFinder; hasPath: PathFinder } {
  const routes: RouteOptions[] = []
  const wildcards: RouteOptions[] = []
  app.addHook('onRoute', (route) => {
    // The owner of a wildcard distinguishes 404 from 405.
    if (route.url.endsWith('*')) wildcards.push(route)
    else routes.push(route)
  })
  let router: Router | undefined

  const whole = toAllowedMethods(methods.map((method) => ({ method })))
  const findAllowedMethods: AllowedMethodsFinder = (path) => {
    // RFC 9110 §9.3.7: the asterisk stands for the whole server.
    if (path === '*') return whole
    router ??= toRouter(routes, maxUrlBytes)
    const known = router
    const found = methods.flatMap((method) => {
      const route = known.find(method as HTTPMethod, path)
      return route === null ? [] : [{ method, config: route.store as FastifyContextConfig }]
    })
    return found.length === 0 ? undefined : toAllowedMethods(found)
  }
  app.decorate('findAllowedMethods', findAllowedMethods)
  const hasPath: PathFinder = async (path) => {
    if (findAllowedMethods(path) !== undefined) return true
    for (const { url, config } of wildcards) {
      const isUnderIt = path.startsWith(url.slice(0, -1))
      if (isUnderIt && (config?.hasPath === undefined || (await config.hasPath(path)))) return true
    }
    return false
  }
  return { findAllowedMethods, hasPath }
}

type Router = ReturnType<typeof createRouter>

function toRouter(routes: readonly RouteOptions[], maxUrlBytes: number): Router {
  const router = createRouter({ maxParamLength: maxUrlBytes })
  for (const { method, url, config } of routes) {
    for (const name of [method].flat()) {
      const known = methods.find((candidate) => candidate === name)
      const routed = known as HTTPMethod | undefined
      if (routed !== undefined && !router.hasRoute(routed, url)) {
        router.on(routed, url, () => undefined, config)
      }
    }
  }
  return router
}

interface FoundRoute {
  method: (typeof methods)[number]
  config?: FastifyContextConfig
}

function toAllowedMethods(routes: readonly FoundRoute[]): AllowedMethods {
  const names = [...routes.map(({ method }) => method), 'OPTIONS']
  const headers: Record<string, string> = { allow: names.join(', ') }
  for (const { method, config } of routes) {
    // RFC 5789 §3.1; Linked Data Platform, §7.1.
    const hasField = method === 'POST' || method === 'PATCH'
    if (config?.accepts && hasField) {
      headers[`accept-${method.toLowerCase()}`] = config.accepts.join(', ')
    }
    // RFC 10008 §3: a Structured Field, unlike the others.
    if (config?.accepts && method === 'QUERY') {
      headers['accept-query'] = toMediaTypeList(config.accepts)
    }
  }
  const isJson = routes.every(({ config }) => config?.defaultType === 'json')
  return { methods: names, isJson, headers }
}
