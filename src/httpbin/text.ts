import { isUtf8 } from 'node:buffer'
import type { Pair } from '../http/security/visitor-response.ts'

/** The bytes of a text that Node's HTTP parser or a percent-encoded URL gave. */
export function decodePercent(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1')
  if (!text.includes('%')) return bytes
  let size = 0
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0
    const digits = byte === percent ? text.slice(index + 1, index + 3) : ''
    const isEncoded = hexPair.test(digits)
    bytes[size] = isEncoded ? parseInt(digits, 16) : byte
    size += 1
    if (isEncoded) index += 2
  }
  return bytes.subarray(0, size)
}

const percent = 0x25
const hexPair = /^[\da-f]{2}$/i

/** Decodes UTF-8, with the text of `toText` for each byte that is not part of a character. */
export function decodeUtf8(bytes: Buffer, toText: (byte: number) => string): string {
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

/** `a=1&b` → pairs. A part without a name and without `=` is left out. */
export function splitPairs(text: string): Pair[] {
  return text.split('&').flatMap((part): Pair[] => {
    if (part === '') return []
    const end = part.indexOf('=')
    const pair: Pair = end === -1 ? [part, ''] : [part.slice(0, end), part.slice(end + 1)]
    const [name, value] = pair
    return [[name.replaceAll('+', ' '), value.replaceAll('+', ' ')]]
  })
}

/** The values of each name, in the order of the names. */
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

/** Of a header, whose name has any case. */
export function findHeader(pairs: readonly Pair[], name: string): string | undefined {
  return pairs.find(([other]) => other.toLowerCase() === name)?.[1]
}

/** By code point, as Python and Go sort. UTF-16 sorts surrogates before U+E000. */
export function compareNames(
  [one]: readonly [string, unknown],
  [other]: readonly [string, unknown],
) {
  if (/[\ud800-\udfff]/.test(one + other))
    return Buffer.compare(Buffer.from(one), Buffer.from(other))
  return one < other ? -1 : 1
}
