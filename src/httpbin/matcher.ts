import { remember } from '../http/remember.ts'
import type { Dialect } from './dialect.ts'
import { findMethods, type Endpoint } from './endpoint.ts'

interface Match {
  /** Undefined if the path has none for this method. */
  endpoint: Endpoint | undefined
  parameters: readonly string[]
  /** All methods of the path. Empty if it has no endpoint. */
  methods: readonly string[]
}

export type Matcher = (path: string, method: string) => Match

interface Candidate {
  endpoint: Endpoint
  segments: readonly string[]
  methods: readonly string[]
}

/** Finds an endpoint by its path below the prefix, without the first `/`. */
export function createMatcher(dialect: Dialect, endpoints: readonly Endpoint[]): Matcher {
  const byFirst = Map.groupBy(
    toCandidates(dialect, endpoints),
    ({ segments: [first = ''] }) => first,
  )
  const findAll = remember((path) => {
    const parts = dialect.splitPath(path)
    const found = (byFirst.get(parts[0] ?? '') ?? []).flatMap((candidate) => {
      const { segments } = candidate
      if (!matches(segments, parts)) return []
      return {
        ...candidate,
        parameters: parts.filter((_, index) => segments[index]?.startsWith(':')),
      }
    })
    return { found, methods: found.flatMap(({ methods }) => methods) }
  })
  return (path, method) => {
    const { found, methods } = findAll(path)
    const chosen = found.find((one) => isSupported(one.methods, method))
    return { endpoint: chosen?.endpoint, parameters: chosen?.parameters ?? [], methods }
  }
}

function toCandidates(dialect: Dialect, endpoints: readonly Endpoint[]): Candidate[] {
  return endpoints.flatMap((endpoint) => {
    const methods = findMethods(endpoint, dialect)
    if (methods.length === 0) return []
    return [{ endpoint, methods, segments: endpoint.path.slice(1).split('/') }]
  })
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
