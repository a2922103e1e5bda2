import { remember } from '../http/remember.ts'
import type { Dialect } from './dialect.ts'
import { listEndpoints } from './endpoints.ts'

/** `/bytes/:n=10` becomes `/bytes/:n`. */
export const toRoutePath = (path: string): string => path.replaceAll(/=[^/]*/g, '')

export function createMatcher(dialect: Dialect) {
  const all = listEndpoints(dialect).map((endpoint) => {
    const { path } = endpoint
    return { ...endpoint, template: toRoutePath(path), segments: path.slice(1).split('/') }
  })
  const byFirst = Map.groupBy(all, ({ segments: [first = ''] }) => first)
  const findAll = remember((path) => {
    const parts = dialect.splitPath(path)
    const found = (byFirst.get(parts[0] ?? '') ?? [])
      .filter(({ segments }) => matches(segments, parts))
      .map((endpoint) => {
        const isParameter = (_: string, index: number) => endpoint.segments[index]?.startsWith(':')
        return { ...endpoint, parameters: parts.filter(isParameter) }
      })
    return { found, methods: found.flatMap(({ methods }) => methods) }
  })
  return (path: string, method: string) => {
    const { found, methods } = findAll(path)
    return { methods, endpoint: found.find((one) => isSupported(one.methods, method)) }
  }
}

function matches(segments: readonly string[], parts: readonly string[]): boolean {
  const isOpen = segments.at(-1) === '*'
  if (isOpen ? parts.length < segments.length : parts.length !== segments.length) return false
  return segments.every((segment, index) =>
    segment.startsWith(':') ? parts[index] !== '' : segment === '*' || segment === parts[index],
  )
}

function isSupported(methods: readonly string[], method: string): boolean {
  if (methods.includes(method) || methods.includes('*')) return true
  return method === 'HEAD' && methods.includes('GET')
}
