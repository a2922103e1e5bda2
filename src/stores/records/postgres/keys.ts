import { isObject } from '../../../config/is-object.ts'
import { findFolded, toLowerText } from '../conditions.ts'
import { isFieldValue, isStorable, type Document, type FieldValue } from '../records.ts'

/** The first character of a key orders the types, the rest the values. */
export interface Keys {
  readonly [name: string]: string | Keys
}

export const marks = { number: '0', string: '1', boolean: '2', none: '3', end: '4' }

export function valueToKey(value: FieldValue): string {
  if (value === null) return marks.none
  if (typeof value === 'number') return marks.number + toSortable(value)
  return typeof value === 'string' ? marks.string + value : marks.boolean + String(value)
}

/** A `~` in a name is doubled, so that names that end in one `~` are free. */
export const toKeyName = (name: string) => name.replaceAll('~', '~~')
/** The key of the lowercase value, where lower() differs: with the collation "C" it knows ASCII only. */
export const toFoldedName = (name: string) => `${toKeyName(name)}~`
export const toObjectName = (name: string) => `${toKeyName(name)}~.`

export function toKeys(document: Document): Keys {
  const entries = Object.entries(document).filter(([name]) => isStorable(name))
  return Object.fromEntries(entries.flatMap(([name, value]) => toEntries(name, value)))
}

function toEntries(name: string, value: unknown): [string, string | Keys][] {
  if (isObject(value)) return [[toObjectName(name), toKeys(value)]]
  if (value === null || !isFieldValue(value) || !isStorable(String(value))) return []
  const key: [string, string] = [toKeyName(name), valueToKey(value)]
  const folded = typeof value === 'string' ? findFolded(value) : toLowerText(value)
  return folded === undefined ? [key] : [key, [toFoldedName(name), folded]]
}

/** Sixteen hexadecimal digits in the order of the numbers (IEEE 754: sign, exponent, fraction). */
function toSortable(value: number): string {
  const view = new DataView(new ArrayBuffer(8))
  // Makes 0 of -0.
  view.setFloat64(0, value + 0)
  const bits = view.getBigUint64(0)
  const isNegative = bits >> 63n === 1n
  const sortable = isNegative ? BigInt.asUintN(64, ~bits) : bits | (1n << 63n)
  return sortable.toString(16).padStart(16, '0')
}
