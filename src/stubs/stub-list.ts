import { remember } from '../http/remember.ts'
import { decodePath } from '../http/request/target.ts'
import { isUnconditional, type Alternatives, type Draws } from '../responses/alternatives.ts'
import { normalizePath, type Groups, type PathPattern } from './path-pattern.ts'

export interface Stub {
  /** As written: `POST /v1/users/:id`. */
  name: string
  /** `*` for every method. */
  method: string
  pattern: PathPattern
  alternatives: Alternatives
  draws: Draws
  /** Where `file` is looked up. */
  folder: string | undefined
}

export interface Candidate {
  stub: Stub
  groups: Groups
}

export type StubList = ReturnType<typeof createStubList>

/** Stubs, found by the segments with which their paths begin. The order is that of the file. */
export function createStubList(stubs: readonly Stub[]) {
  const places = new Map(stubs.map((stub, index) => [stub, index]))
  const byPrefix = Map.groupBy(stubs, ({ pattern }) => pattern.prefix)
  const maxSlashes = Math.max(0, ...stubs.map(({ pattern }) => pattern.prefix.split('/').length))
  const toPlace = (stub: Stub) => places.get(stub) ?? 0
  const findOfPath = (path: string): Stub[] => {
    if (stubs.length === 0) return []
    const found: Stub[] = [...(byPrefix.get('') ?? [])]
    for (let end = path.indexOf('/', 1), slashes = 0; slashes < maxSlashes; slashes += 1) {
      const isWhole = end === -1
      found.push(...(byPrefix.get(isWhole ? path : path.slice(0, end)) ?? []))
      if (isWhole) break
      end = path.indexOf('/', end + 1)
    }
    return found.length < 2 ? found : found.toSorted((one, other) => toPlace(one) - toPlace(other))
  }
  return {
    stubs,
    /** Those whose method and path match, up to the first one that matches every request. */
    find: (method: string, path: string): readonly Candidate[] => {
      const all = findOfPath(path)
      const candidates: Candidate[] = []
      const isHead = method === 'HEAD' && hasOwnHead(all, path)
      for (const stub of all) {
        if (!isOfMethod(stub, method, isHead)) continue
        const groups = stub.pattern.match(path)
        if (groups === undefined) continue
        candidates.push({ stub, groups })
        if (isUnconditional(stub.alternatives)) break
      }
      return candidates
    },
    findOfPath: (path: string): readonly Stub[] =>
      findOfPath(path).filter(({ pattern }) => pattern.match(path) !== undefined),
  }
}

/** A GET stub also responds to HEAD, unless a stub for HEAD has this path. */
function isOfMethod({ method: own }: Stub, method: string, isOwnHead: boolean): boolean {
  return own === '*' || own === method || (own === 'GET' && method === 'HEAD' && !isOwnHead)
}

const hasOwnHead = (stubs: readonly Stub[], path: string) =>
  stubs.some(({ method, pattern }) => method === 'HEAD' && pattern.match(path) !== undefined)

const ofService = /^\/(_vitrine|assets|s|b|inspector(\.har)?|health\/(live|ready))(\/|$)/

/** These paths come before all stubs. */
export const isOfService = (path: string): boolean => ofService.test(path)

/** The path that stubs match; empty if no stub can have it. */
export const toStubPath = remember((path) => {
  const trimmed = path.length > 1 ? path.replace(/(?<!\/)\/+$/, '') : path
  const isEncoded = !trimmed.includes('%') || decodePath(trimmed) !== undefined
  const normal = isEncoded ? normalizePath(trimmed || '/') : ''
  return isOfService(normal) ? '' : normal
})
