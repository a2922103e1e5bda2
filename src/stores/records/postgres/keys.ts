import { fold, isStorable } from '../conditions.ts'
import type { Document, FieldValue } from '../records.ts'

/**
 * What a document is found and ordered by, field by field, with those of an object in an object. A
 * key is text, whatever the value: a comparison by code points orders values by type, then by value.
 */
export interface Keys {
  readonly [name: string]: string | Keys
}

/** What the keys of each type begin with. */
export const marks = { number: '0', string: '1', boolean: '2', none: '3', end: '4' }

export function toKey(value: FieldValue): string {
  if (value === null) return marks.none
  if (typeof value === 'number') return marks.number + toSortable(value)
  return typeof value === 'string' ? marks.string + value : marks.boolean + String(value)
}

/** Names that end in one ~ are free: of names themselves every ~ is doubled. */
export function toKeyName(name: string): string {
  return name.replaceAll('~', '~~')
}

/** Has the value in lower case, where lower() of the collation "C" would not do: it knows ASCII. */
export function toFoldedName(name: string): string {
  return `${toKeyName(name)}~`
}

/** Has the keys of an object. */
export function toObjectName(name: string): string {
  return `${toKeyName(name)}~.`
}

export function toKeys(document: Document): Keys {
  return Object.fromEntries(
    Object.entries(document).flatMap(([name, value]) =>
      isStorable(name) ? toEntries(name, value) : [],
    ),
  )
}

function toEntries(name: string, value: unknown): [string, string | Keys][] {
  if (isObject(value)) return [[toObjectName(name), toKeys(value)]]
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
    return []
  if (!isStorable(String(value))) return []
  const folded = fold(value)
  const isKnown =
    typeof value === 'string' &&
    folded === value.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
  const key: [string, string] = [toKeyName(name), toKey(value)]
  return isKnown ? [key] : [key, [toFoldedName(name), folded]]
}

function isObject(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Sixteen hexadecimal digits that are in the order of the numbers (IEEE 754: sign, exponent, rest). */
function toSortable(value: number): string {
  const view = new DataView(new ArrayBuffer(8))
  // -0 is kept as 0.
  view.setFloat64(0, value + 0)
  const bits = view.getBigUint64(0)
  const isNegative = bits >> 63n === 1n
  const sortable = isNegative ? BigInt.asUintN(64, ~bits) : bits | (1n << 63n)
  return sortable.toString(16).padStart(16, '0')
}
