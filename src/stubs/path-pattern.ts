import { maxPatternMs } from '../config/limits.ts'
import { HttpError } from '../http/errors/http-error.ts'
import { decodePath } from '../http/request/target.ts'
import { runWithin } from '../http/run-within.ts'

export type Groups = Readonly<Record<string, string>>

export interface PathPattern {
  /** The pattern, normalized. */
  path: string
  /** The segments before the first one with a group. */
  prefix: string
  isLiteral: boolean
  /** Throws 500 if matching takes too long. */
  match: (path: string) => Groups | undefined
}

/** A pathname of URLPattern. Throws if it is none. */
export function parsePathPattern(pathname: string): PathPattern {
  const pattern = new URLPattern({ pathname: normalizePath(pathname) })
  const path = pattern.pathname
  const isLiteral = !/[:*{}()?+\\]/.test(path)
  const [prefix = ''] = /^(?:\/[^:*{}()?+\\/]*(?=\/))*/.exec(path) ?? []
  const isQuick = toCostCheck(path, pattern.hasRegExpGroups)
  const match = (given: string): Groups | undefined => {
    if (!pattern.test({ pathname: given })) return undefined
    const groups = pattern.exec({ pathname: given })?.pathname.groups ?? {}
    const found = Object.entries(groups).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, decodePath(value) ?? value] as const],
    )
    return Object.fromEntries(found)
  }
  return {
    path,
    prefix: isLiteral ? path : prefix,
    isLiteral,
    match: (given) => {
      if (isLiteral) return given === path ? {} : undefined
      return isQuick(given) ? match(given) : matchWithin(match, given, path)
    },
  }
}

const maxSteps = 1e6

/** Each `*`, and each group that does not fill a segment, can multiply the steps by the length of the path. */
function toCostCheck(path: string, hasRegExpGroups: boolean) {
  const wild = path.match(/\*|:[^:*{}()?+\\/.-]+(?![^/])|:/g) ?? []
  const count = wild.filter((group) => group.length === 1).length
  return ({ length }: string) => !hasRegExpGroups && length ** count <= maxSteps
}

function matchWithin(match: PathPattern['match'], given: string, path: string) {
  const found = runWithin(maxPatternMs, () => ({ groups: match(given) }))
  if (found) return found.groups
  throw new HttpError('internal-error', `The pattern ${path} takes too long for this path.`)
}

/** RFC 3986 §6.2.2: escapes of unreserved characters are decoded, and the digits of others are upper case. */
export function normalizePath(path: string): string {
  if (!path.includes('%')) return path
  return path.replaceAll(/%[\da-f]{2}/gi, (escape) => {
    const character = String.fromCharCode(parseInt(escape.slice(1), 16))
    return /[\w.~-]/.test(character) ? character : escape.toUpperCase()
  })
}
