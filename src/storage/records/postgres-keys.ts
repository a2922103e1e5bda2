import type { Document } from './records.ts'

/**
 * What a document is found and ordered by, field by field. A key is text, whatever the value: one
 * comparison by code points then puts numbers by size before text, and what is missing after both.
 */
export type Keys = Readonly<Record<string, string>>

const numberMark = '0'
const textMark = '1'
/** Follows the key of every value. */
export const absence = '2'

export function toKey(value: string | number): string {
  return typeof value === 'number' ? numberMark + toSortable(value) : textMark + toText(value)
}

/**
 * The keys of a record. Beside that of a field, `name~` has its value in lower case, where that is
 * more than lower() of the collation "C" knows of: numbers, and letters other than those of ASCII.
 */
export function toKeys(id: string, document: Document): Keys {
  const fields = Object.entries(document).filter(([name]) => /^\w+$/.test(name))
  const keys = fields.flatMap(([name, value]) =>
    typeof value === 'string' || typeof value === 'number'
      ? [[name, toKey(value)], ...toFoldedEntries(name, value)]
      : [],
  )
  return Object.fromEntries([...keys, ...toFoldedEntries('_id', id)]) as Keys
}

function toFoldedEntries(name: string, value: string | number): [string, string][] {
  const folded = fold(value)
  const isKnown =
    typeof value === 'string' &&
    folded === toText(value).replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
  return isKnown ? [] : [[`${name}~`, folded]]
}

/** Letter case does not count in folded text. */
export function fold(value: string | number): string {
  return toText(String(value).toLowerCase())
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

/**
 * Text as PostgreSQL can hold it: without U+0000. That and its neighbours become three characters
 * each, of which the first begins nothing else, so that order and parts of texts stay as they are.
 * Half a surrogate pair, which no encoding has, becomes U+FFFD.
 */
export function toText(text: string): string {
  return text
    .toWellFormed()
    .replace(replaced, (character) => escapes[character.charCodeAt(0)] ?? '')
}

// eslint-disable-next-line no-control-regex -- they are what it is about
const replaced = /[\0-\x03]/g
const escapes = ['\x01\x02\x02', '\x01\x02\x03', '\x01\x03\x02', '\x01\x03\x03']
const escaped = new RegExp(escapes.join('|'), 'g')

/** What {@link toText} was given. */
export function fromText(text: string): string {
  return text.replace(escaped, (escape) => String.fromCharCode(escapes.indexOf(escape)))
}
