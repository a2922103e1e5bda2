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
  const parts: string[] = []
  for (let index = 0; index < bytes.length;) {
    const first = bytes[index] ?? 0
    const length = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
    const character = bytes.subarray(index, index + length)
    const isWhole = isUtf8(character)
    parts.push(isWhole ? character.toString() : toText(first))
    index += isWhole ? length : 1
  }
  return parts.join('')
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

/** By code point, as Python and Go sort. UTF-16 sorts surrogates before U+E000. */
export function sortByName<Member extends readonly [string, unknown]>(members: Member[]): Member[] {
  if (members.length < 2) return members
  const hasSurrogates = members.some(([name]) => /[\ud800-\udfff]/.test(name))
  return members.sort(([one], [other]) => {
    if (hasSurrogates) return Buffer.compare(Buffer.from(one), Buffer.from(other))
    return one < other ? -1 : 1
  })
}
