import { decodePath } from '../http/request/target.ts'

export type Groups = Readonly<Record<string, string>>

export interface PathPattern {
  /** The pattern, normalized. */
  path: string
  /** The segments before the first one with a group. */
  prefix: string
  isLiteral: boolean
  /** Set if each of its segments is a text, or one parameter such as `:id`. */
  segments?: readonly string[]
  /** About how many steps `match` can take; Infinity if it can take exponential time. */
  findCost: (path: string) => number
  match: (path: string) => Groups | undefined
}

const special = /[:*{}()?+\\]/
const parameter = /^:[\p{ID_Start}$_][\p{ID_Continue}$]*$/u

/** A pathname of URLPattern. Throws if it is none. */
export function parsePathPattern(pathname: string): PathPattern {
  const pattern = new URLPattern({ pathname: normalizePath(pathname) })
  const path = pattern.pathname
  const isLiteral = !special.test(path)
  const [prefix = ''] = /^(?:\/[^:*{}()?+\\/]*(?=\/))*/.exec(path) ?? []
  const known = { path, prefix: isLiteral ? path : prefix, isLiteral }
  const segments = path.slice(1).split('/')
  if (segments.every((segment) => !special.test(segment) || parameter.test(segment)))
    return {
      ...known,
      segments,
      findCost: () => 1,
      match: (given) => matchSegments(segments, given),
    }
  const mayMatch = toTextCheck(path)
  const findCost = toCost(path)
  return {
    ...known,
    findCost: (given) => (mayMatch(given) ? findCost(given) : 1),
    match: (given) => {
      const { groups } = (mayMatch(given) && pattern.exec({ pathname: given })?.pathname) || {}
      return groups && decodeGroups(Object.entries(groups))
    },
  }
}

/** A URLPattern would take 20 µs. */
function matchSegments(segments: readonly string[], path: string): Groups | undefined {
  const given = path.slice(1).split('/', segments.length + 1)
  if (given.length !== segments.length) return undefined
  const groups: [string, string][] = []
  for (const [index, segment] of segments.entries()) {
    const { [index]: value = '' } = given
    if (segment.startsWith(':') && value !== '') groups.push([segment.slice(1), value])
    else if (segment !== value) return undefined
  }
  return decodeGroups(groups)
}

function decodeGroups(groups: readonly (readonly [string, string | undefined])[]): Groups {
  return Object.fromEntries(
    groups.flatMap(([name, value]) =>
      value === undefined ? [] : [[name, decodePath(value) ?? value] as const],
    ),
  )
}

/** Whether a path has the texts before and after all groups. A slash before a group can be optional with it. */
function toTextCheck(path: string) {
  const [start = ''] = /^[^:*{}()?+\\]*/.exec(path) ?? []
  const [, mark = '', rest = ''] = /(.)([^:*{}()?+\\]*)$/su.exec(path) ?? []
  const end = mark === ':' ? rest.replace(/^[\p{ID_Continue}$\u200c\u200d]+/u, '') : rest
  const begin = start.replace(/\/$/, '')
  return (given: string) => given.startsWith(begin) && given.endsWith(end)
}

const quickGroup =
  /(?::[^:*{}()?+\\/.-]+)?\((?:(?:\\[dws]|\[[^\]\\]*\]|\.)(?:[+*]|\{\d+(?:,\d*)?\})?|[\w-]+(?:\|[\w-]+)*)\)(?![+*?])/gi
/** `*`, a group in braces, or a parameter within a segment: its repetitions can be divided in exponentially many ways. */
const repeated = /[*})][+*]|[^/]:[^:*{}()?+\\/.-]+[+*]/

/** Each `*`, and each group that does not fill a segment, can multiply the steps by the length of the path. */
function toCost(path: string): PathPattern['findCost'] {
  const plain = path.replaceAll(quickGroup, '*')
  if (/[()]/.test(plain) || repeated.test(plain)) return () => Infinity
  const wild = plain.match(/\*|:[^:*{}()?+\\/.-]+(?![^/])|:/g) ?? []
  const count = wild.filter((group) => group.length === 1).length
  return ({ length }) => Math.max(length, 1) ** count
}

/** RFC 3986 §6.2.2: escapes of unreserved characters are decoded, and the digits of others are upper case. */
export function normalizePath(path: string): string {
  if (!path.includes('%')) return path
  return path.replaceAll(/%[\da-f]{2}/gi, (escape) => {
    const character = String.fromCharCode(parseInt(escape.slice(1), 16))
    return /[\w.~-]/.test(character) ? character : escape.toUpperCase()
  })
}
