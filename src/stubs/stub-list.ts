import { maxPatternMs } from '../config/limits.ts'
import { HttpError } from '../http/errors/http-error.ts'
import { remember } from '../http/remember.ts'
import { decodePath } from '../http/request/target.ts'
import { runWithin } from '../http/run-within.ts'
import { isUnconditional, type Alternatives, type Draws } from '../responses/alternatives.ts'
import type { RequestValues } from '../responses/request-values.ts'
import { normalizePath, type Groups, type PathPattern } from './path-pattern.ts'

export interface Stub {
  /** As written: `POST /v1/users/:id`. */
  name: string
  /** `*` for every method. */
  method: string
  pattern: PathPattern
  /** What was written for it. */
  given: unknown
  alternatives: Alternatives
  /** In place of a description, in another program. */
  respond?: (request: RequestValues) => unknown
  draws: Draws
  /** Where `file` is looked up. */
  folder: string | undefined
}

export interface Candidate {
  stub: Stub
  groups: Groups
}

export type StubList = ReturnType<typeof createStubList>

/** Stubs, found by the segments of their paths. The order is that of the file. */
export function createStubList(stubs: readonly Stub[]) {
  const root = createNode()
  const places = new Map(stubs.map((stub, index) => [stub, index]))
  const toPlace = (stub: Stub) => places.get(stub) ?? 0
  for (const stub of stubs) addStub(root, stub)
  const maxSegments = Math.max(0, ...stubs.map(({ pattern }) => pattern.path.split('/').length))
  /** Those that may match, in their order. */
  const findNear = (path: string): Stub[] => {
    if (stubs.length === 0 || path === '') return []
    const found = collectStubs(root, path.slice(1).split('/', maxSegments))
    return found.length < 2 ? found : found.sort((one, other) => toPlace(one) - toPlace(other))
  }
  return {
    stubs,
    /** Those whose method and path match, up to the first one that matches every request. */
    find: (method: string, path: string): readonly Candidate[] => {
      const near = findNear(path)
      return matchWithin(near, path, (match) => {
        const isHead =
          method === 'HEAD' && near.some((stub) => stub.method === 'HEAD' && match(stub))
        const candidates: Candidate[] = []
        for (const stub of near) {
          const groups = isOfMethod(stub, method, isHead) ? match(stub) : undefined
          if (groups === undefined) continue
          candidates.push({ stub, groups })
          if (isUnconditional(stub.alternatives)) break
        }
        return candidates
      })
    },
    findOfPath: (path: string): readonly Stub[] => {
      const near = findNear(path)
      return matchWithin(near, path, (match) => near.filter((stub) => match(stub) !== undefined))
    },
  }
}

/** The stubs whose paths begin with the same segments. */
interface Node {
  texts: Map<string, Node>
  ofParameter: Node | undefined
  /** Those whose path ends here. */
  ending: Stub[]
  /** Those whose path goes on with what is no segment. */
  others: Stub[]
}

const createNode = (): Node => ({
  texts: new Map(),
  ofParameter: undefined,
  ending: [],
  others: [],
})

function addStub(root: Node, stub: Stub): void {
  const { segments, prefix } = stub.pattern
  let node = root
  for (const segment of segments ?? prefix.split('/').slice(1)) {
    if (segment.startsWith(':')) node = node.ofParameter ??= createNode()
    else {
      const next = node.texts.get(segment) ?? createNode()
      node.texts.set(segment, next)
      node = next
    }
  }
  if (segments) node.ending.push(stub)
  else node.others.push(stub)
}

function collectStubs(root: Node, segments: readonly string[]): Stub[] {
  const found: Stub[] = []
  const open: [Node, number][] = [[root, 0]]
  for (const [node, index] of open) {
    const { [index]: segment } = segments
    found.push(...node.others)
    if (segment === undefined) {
      found.push(...node.ending)
      continue
    }
    const next = node.texts.get(segment)
    if (next) open.push([next, index + 1])
    if (node.ofParameter && segment !== '') open.push([node.ofParameter, index + 1])
  }
  return found
}

const maxSteps = 1e6

/** Throws 500 if the patterns that may match take too long for this path. */
function matchWithin<Result>(
  near: readonly Stub[],
  path: string,
  run: (match: (stub: Stub) => Groups | undefined) => Result,
): Result {
  const cost = near.reduce((sum, { pattern }) => sum + pattern.findCost(path), 0)
  if (cost <= maxSteps) return run(({ pattern }) => pattern.match(path))
  let slow = ''
  const result = runWithin(maxPatternMs, () => ({
    found: run(({ pattern }) => {
      slow = pattern.path
      return pattern.match(path)
    }),
  }))
  if (result) return result.found
  throw new HttpError('internal-error', `The pattern ${slow} takes too long for this path.`)
}

/** A GET stub also responds to HEAD, unless a stub for HEAD has this path. */
function isOfMethod({ method: own }: Stub, method: string, isOwnHead: boolean): boolean {
  return own === '*' || own === method || (own === 'GET' && method === 'HEAD' && !isOwnHead)
}

const ofService = /^\/(_vitrine|assets|s|b|inspector(\.har)?|health\/(live|ready))(\/|$)/

/** These paths come before all stubs. */
export const isOfService = (path: string): boolean => ofService.test(path)

/** Characters that a pattern has as escapes, as URLs have them. */
const encode = (path: string) =>
  path.replaceAll(/[^!-~]|["<>^`{}]/g, (character) =>
    character > '~'
      ? `%${character.charCodeAt(0).toString(16).toUpperCase()}`
      : new URL(character, 'http://x').pathname.slice(1),
  )

/** The path that stubs match; empty if no stub can have it. */
export const toStubPath = remember((path) => {
  const trimmed = path.length > 1 ? path.replace(/(?<!\/)\/+$/, '') : path
  const isEncoded = !trimmed.includes('%') || decodePath(trimmed) !== undefined
  const normal = isEncoded ? normalizePath(encode(trimmed || '/')) : ''
  return isOfService(normal) ? '' : normal
})
