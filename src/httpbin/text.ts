import { isUtf8 } from 'node:buffer'
import { remember } from '../http/remember.ts'
import { isAscii } from '../http/response/send-visitor-response.ts'
import type { Pair } from '../http/security/visitor-response.ts'

const toReplacement: (byte: number) => string = () => '\ufffd'

/** Of a text that Node's HTTP parser gave: each unit is a byte. `toText` as for `decodeUtf8`. */
export function decodeLatin1(text: string, toText = toReplacement): string {
  return isAscii(text) ? text : decodeUtf8(Buffer.from(text, 'latin1'), toText)
}

/** Also of a percent-encoded URL. */
export function decodeText(text: string, toText = toReplacement): string {
  return text.includes('%') ? decodeUtf8(decodePercent(text), toText) : decodeLatin1(text, toText)
}

export function decodePercent(text: string): Buffer {
  const toUnit = (_: string, digits: string) => String.fromCharCode(parseInt(digits, 16))
  return Buffer.from(text.replaceAll(/%([\da-f]{2})/gi, toUnit), 'latin1')
}

/** Decodes UTF-8, with the text of `toText` for each byte that is not part of a character. */
export function decodeUtf8(bytes: Buffer, toText = toReplacement): string {
  if (isUtf8(bytes)) return bytes.toString()
  let text = ''
  let start = 0
  for (let index = 0; index < bytes.length;) {
    const length = countBytes(bytes, index)
    index += length || 1
    if (length > 0) continue
    if (start < index - 1) text += bytes.toString('utf8', start, index - 1)
    text += toText(bytes[index - 1] ?? 0)
    start = index
  }
  return text + bytes.toString('utf8', start)
}

/** Of the character at the index (RFC 3629 §4). 0 if there is none. */
function countBytes(bytes: Buffer, index: number): number {
  const first = bytes[index] ?? 0
  if (first < 0x80) return 1
  const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80
  const greatest = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf
  const second = bytes[index + 1] ?? 0
  if (first < 0xc2 || first > 0xf4 || second < least || second > greatest) return 0
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
  for (let next = index + 2; next < index + length; next += 1)
    if (((bytes[next] ?? 0) & 0xc0) !== 0x80) return 0
  return length
}

export function toPercent(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
}

/** With padding, unlike `base64url` of Node. */
export function toUrlBase64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_')
}

/** Go has the same limit. A pair costs about a microsecond. */
export const hasTooManyPairs = (text: string) => text.split('&', maxPairs + 1).length > maxPairs
const maxPairs = 10_000

/** `a=1&b` → pairs. A part without a name and without `=` is left out. */
export function splitPairs(text: string): Pair[] {
  const parts = text.replaceAll('+', ' ').split('&').filter(Boolean)
  return parts.map((part) => {
    const [name = ''] = part.split('=', 1)
    return [name, part.slice(name.length + 1)]
  })
}

export function groupValues(pairs: readonly Pair[]): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const [name, value] of pairs) {
    const known = groups.get(name)
    if (known) known.push(value)
    else groups.set(name, [value])
  }
  return groups
}

export function findValue(pairs: readonly Pair[], name: string): string | undefined {
  return pairs.find(([other]) => other === name)?.[1]
}

export function findHeader(pairs: readonly Pair[], name: string): string | undefined {
  for (const [other, value] of pairs) {
    if (other.length === name.length && other.toLowerCase() === name) return value
  }
  return undefined
}

/** As `net/http` of Go writes the name of a header. */
export const toCanonical = remember((name) =>
  name.toLowerCase().replaceAll(/(?<![^-])[a-z]/g, (letter) => letter.toUpperCase()),
)

/** By code point, as Python and Go sort. */
export function sortByName<Member extends readonly [string, unknown]>(members: Member[]): Member[] {
  if (!members.some(([name]) => surrogates.test(name))) return members.sort(compareNames)
  const keyed = members.map((member) => [toSortKey(member[0]), member] as const)
  return keyed.sort(compareNames).map(([, member]) => member)
}

type Named = readonly [name: string, ...unknown[]]

const compareNames = ([one]: Named, [other]: Named) => (one < other ? -1 : 1)

const surrogates = /[\ud800-\udfff]/

/** A text that compares as the name does by code points: in UTF-16, surrogates come before U+E000. */
function toSortKey(name: string): string {
  return name.replaceAll(/[\ud800-\uffff]/g, (unit) => {
    const code = unit.charCodeAt(0)
    return String.fromCharCode(code < 0xe000 ? code + 0x2000 : code - 0x800)
  })
}
