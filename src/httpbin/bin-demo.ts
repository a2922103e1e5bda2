import { ownCookies } from '../http/security/visitor-response.ts'
import { isAlone, type Demo } from '../site/demo.ts'
import type { Dialect } from './dialect.ts'
import { endpoints } from './endpoints.ts'
import { toBinRoutes } from './routes.ts'

type Texts = Pick<Demo, 'title' | 'summary' | 'lookFor' | 'samples'>

/** At `/<name>`, and at the root too if no other demo is open. */
export function toBinDemo(dialect: Dialect, texts: Texts): Demo {
  const { name } = dialect
  const prefix = `/${name}`
  return {
    name,
    ...texts,
    group: 'Requests and responses',
    rawPaths: (services) => [`/${name}`, ...(isAlone(name, services) ? toFirstSegments() : [])],
    routes: (services, app) => {
      const bin = { dialect, config: services.config }
      if (!isAlone(name, services)) return toBinRoutes({ ...bin, prefix, ownCookies }, app)
      const only = { ...bin, ownCookies: [] }
      return [
        ...toBinRoutes({ ...only, prefix: '' }, app),
        ...toBinRoutes({ ...only, prefix }, app, false),
      ]
    },
  }
}

function toFirstSegments(): readonly string[] {
  const segments = endpoints.map(({ path }) => path.split('/')[1] ?? '')
  return [...new Set(segments)].filter(Boolean).map((segment) => `/${segment}`)
}
