import { maxSortTerms } from '../config/limits.ts'
import { badRequest } from '../http/errors/http-error.ts'
import { areSearchable, searchLimit } from '../lists/filters.ts'
import { isFieldValue, type Document } from '../stores/records/records.ts'

export type Find = (document: Document) => unknown

/** A field with exactly this name comes first, as in 0.17. */
export function createFindAt(path: string): Find {
  const find = toFind(path)
  return (document) => (Object.hasOwn(document, path) ? document[path] : find(document))
}

export function toFind(path: string): Find {
  const names = path.replaceAll(/\[(\w+)\]/g, '.$1').split('.')
  return (document) => {
    let value: unknown = document
    for (const name of names) {
      if (value === undefined) return undefined
      value = Object.getOwnPropertyDescriptor(Object(value), name)?.value
    }
    return value
  }
}

/** The keys of all records are in memory. */
export function parseTerms(sort: string): readonly string[] {
  const terms = sort === '' ? [] : sort.split(',')
  if (terms.length <= maxSortTerms) return terms
  throw badRequest(`_sort must have at most ${String(maxSortTerms)} fields.`)
}

/** Throws 400 for texts whose search would take long. */
export function assertSearches(names: string, texts: readonly string[]): void {
  if (!areSearchable(texts)) throw badRequest(`${names} have ${searchLimit}.`)
}

const joined = new WeakMap<readonly unknown[], string>()

/** `String(value)`, without calling methods that the JSON of a client may have redefined. */
export function toText(value: unknown): string {
  if (!Array.isArray(value)) return toJoined(value)
  // A long list is compared with many values.
  const text = joined.get(value) ?? toJoined(value)
  joined.set(value, text)
  return text
}

function toJoined(value: unknown): string {
  if (Array.isArray(value)) return value.map((item: unknown) => toJoined(item ?? '')).join(',')
  return typeof value === 'object' && value !== null ? '[object Object]' : String(value)
}

function toComparable(value: unknown) {
  if (typeof value === 'string' || typeof value === 'number') return value
  return value === undefined ? NaN : isFieldValue(value) ? Number(value) : toText(value)
}

/** `one < other` of JavaScript: two strings are compared as text, everything else as numbers. */
export function isBelow(one: unknown, other: unknown): boolean {
  return toComparable(one) < toComparable(other)
}

export function isAtMost(one: unknown, other: unknown): boolean {
  return toComparable(one) <= toComparable(other)
}
