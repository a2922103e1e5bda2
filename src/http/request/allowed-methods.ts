import type { FastifyContextConfig, FastifyInstance, RouteOptions } from 'fastify'
import createRouter, { type HTTPMethod } from 'find-my-way'

declare module 'fastify' {
  interface FastifyInstance {
    findAllowedMethods: (path: string) => AllowedMethods | undefined
  }
}

export type AllowedMethods = ReturnType<typeof toAllowedMethods>

// find-my-way routes QUERY, but its types lack it.
const listedMethods = ['GET', 'HEAD', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE'] as HTTPMethod[]

/** Fastify's router cannot list the methods of a path. Returns whether a path has no route. */
export function collectAllowedMethods(
  app: FastifyInstance,
  maxUrlBytes: number,
  findOthers: (path: string) => readonly string[] = () => [],
) {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => {
    routes.push(route)
  })
  const whole = toAllowedMethods(listedMethods.map((method) => ({ method })))
  let router: ReturnType<typeof toRouter> | undefined
  app.decorate('findAllowedMethods', (path) => {
    if (path === '*') return whole
    const known = (router ??= toRouter(routes, maxUrlBytes))
    const found = listedMethods.flatMap((method) => {
      const route = known.find(method, path)
      // `toRouter` stores nothing else.
      return route ? [{ method, config: route.store as FastifyContextConfig | undefined }] : []
    })
    const others = findOthers(path)
    if (others.includes('*')) return whole
    const added = [...new Set(others)].filter(
      (name) => !found.some(({ method }) => method === name),
    )
    const all = [...found, ...added.map((method) => ({ method, config: undefined }))]
    // Only stubs have this path, and each is for its method.
    const hasRoute = found.length > 0
    return all.length === 0 ? undefined : { ...toAllowedMethods(all), hasRoute }
  })
  return async (path: string): Promise<boolean> => {
    if (app.findAllowedMethods(path)) return false
    for (const { url, config } of routes) {
      if (!url.endsWith('*') || !path.startsWith(url.slice(0, -1))) continue
      if (config?.hasPath === undefined || (await config.hasPath(path))) return false
    }
    return true
  }
}

export function toMediaTypeList(types: readonly string[]): string {
  return types.map((type) => `"${type}"`).join(', ')
}

/** Wildcard routes are left out: their handlers distinguish 404 from 405. */
function toRouter(routes: readonly RouteOptions[], maxUrlBytes: number) {
  const router = createRouter({ maxParamLength: maxUrlBytes })
  for (const { method: own, url, config } of routes) {
    if (url.endsWith('*')) continue
    for (const method of listedMethods.filter((name) => [own].flat().includes(name))) {
      router.on(method, url, () => undefined, config)
    }
  }
  return router
}

function toAllowedMethods(
  routes: readonly { method: string; config?: FastifyContextConfig | undefined }[],
) {
  const names = [...routes.map(({ method }) => method), 'OPTIONS']
  const headers: Record<string, string> = { allow: names.join(', ') }
  for (const { method, config } of routes) {
    if (!config?.accepts) continue
    // RFC 10008 §3: Accept-Query is a Structured Field, unlike the others (RFC 5789 §3.1).
    if (method === 'QUERY') headers['accept-query'] = toMediaTypeList(config.accepts)
    if (method === 'POST' || method === 'PATCH') {
      headers[`accept-${method.toLowerCase()}`] = config.accepts.join(', ')
    }
  }
  const isJson = routes.every(({ config }) => config?.defaultType === 'json')
  const keepsMethod = routes.some(({ config }) => config?.keepsMethod)
  return { methods: names, isJson, headers, keepsMethod, hasRoute: true }
}
