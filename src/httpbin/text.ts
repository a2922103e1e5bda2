import { maxFormPairs } from '../config/limits.ts'
import { decodePercent, toReplacement, utf8ToText } from '../http/body/utf8-to-text.ts'
import { remember } from '../http/remember.ts'
import { isAscii } from '../http/response/send-visitor-response.ts'
import type { Pair } from '../http/security/visitor-response.ts'

/** In a text that Node's HTTP parser gave, each unit is a byte. */
export function decodeLatin1(text: string, toText = toReplacement): string {
  return isAscii(text) ? text : utf8ToText(Buffer.from(text, 'latin1'), toText)
}

export function decodeText(text: string, toText = toReplacement): string {
  return text.includes('%') ? utf8ToText(decodePercent(text), toText) : decodeLatin1(text, toText)
}

export function toPercent(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
}

/** The `base64url` of Node has no padding. */
export function toUrlBase64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_')
}

export const hasTooManyPairs = (text: string) =>
  text.length >= maxFormPairs && text.split('&', maxFormPairs + 1).length > maxFormPairs

/** `a=1&b` → pairs. A part without a name and without `=` is left out. */
export function splitPairs(text: string): Pair[] {
  const pairs: Pair[] = []
  for (const part of text.replaceAll('+', ' ').split('&')) {
    const end = part.indexOf('=')
    if (end !== -1) pairs.push([part.slice(0, end), part.slice(end + 1)])
    else if (part !== '') pairs.push([part, ''])
  }
  return pairs
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

export function findFirst(pairs: readonly Pair[], name: string): string | undefined {
  return pairs.find(([other]) => other === name)?.[1]
}

export function findHeader(pairs: readonly Pair[], name: string): string | undefined {
  for (const [other, value] of pairs) {
    if (other.length === name.length && other.toLowerCase() === name) return value
  }
  return undefined
}

/** `net/http` of Go writes the names of headers so. */
export const toCanonical = remember((name) =>
  name.toLowerCase().replaceAll(/(?<![^-])[a-z]/g, (letter) => letter.toUpperCase()),
)

/** Python and Go sort by code point. The bytes of UTF-8 have the same order. */
export function sortByName<Member extends readonly [string, unknown]>(members: Member[]): Member[] {
  if (!members.some(([name]) => surrogates.test(name))) return members.sort(compareNames)
  const keyed = members.map((one) => [Buffer.from(one[0]).toString('latin1'), one] as const)
  return keyed.sort(compareNames).map(([, member]) => member)
}

type Named = readonly [name: string, ...unknown[]]

const compareNames = ([one]: Named, [other]: Named) => (one < other ? -1 : 1)

/** In UTF-16, surrogates come before U+E000. */
const surrogates = /[\ud800-\udfff]/
