import type { FastifyInstance } from 'fastify'
import { findRawPaths } from '../../src/http/request/target.ts'

export interface Route {
  /** As it was added: `/users/:id`. */
  path: string
  methods: readonly string[]
}

/** Every route of the app, read from the tree that Fastify prints, and those that a wildcard has. */
export async function listRoutes(app: FastifyInstance): Promise<Route[]> {
  await app.ready()
  const branch: string[] = []
  const routes: Route[] = []
  for (const line of app.printRoutes({ commonPrefix: false }).split('\n')) {
    const [, indent = '', part = '', methods = ''] =
      /^(.*[├└]── )(.+) \(([A-Z, ]+)\)$/.exec(line) ?? []
    if (part === '') continue
    const depth = indent.length / 4 - 1
    branch.splice(depth, branch.length, part)
    routes.push({ path: branch.slice(0, depth + 1).join(''), methods: methods.split(', ') })
  }
  const ofWildcards = app.declaredRoutes.filter((route) => route.isOfWildcard)
  return [
    ...routes,
    ...ofWildcards.map(({ url, method }) => {
      const methods = [method].flat()
      return { path: url, methods: methods.includes('GET') ? [...methods, 'HEAD'] : methods }
    }),
  ]
}

/** Whether the response is a stream of events. */
export function isEndless(path: string): boolean {
  return path.endsWith('/events')
}

/** Whether the response is a visitor's or another service's, so that our rules do not hold. */
export function isRaw({ declaredRoutes }: FastifyInstance, path: string): boolean {
  const known = [...findRawPaths(declaredRoutes)]
  return known.some((start) => path === start || path.startsWith(`${start}/`))
}
