import { createReadStream } from 'node:fs'
import { mebibyte } from '../config/limits.ts'

/** It has one line for a person. */
export class InvalidHar extends Error {}

export interface EntryText {
  /** From 0. */
  index: number
  /** The line of the file on which the entry begins. */
  line: number
  /** Undefined if the entry is larger than `maxEntryBytes`. */
  bytes: Buffer | undefined
}

export const maxEntryBytes = 64 * mebibyte

/** The members of `log.entries`, one after another: an archive can be larger than the memory. Throws {@link InvalidHar}. */
export async function* readEntries(path: string): AsyncGenerator<EntryText> {
  const { find, assertEnd } = createFinder()
  const chunks: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: mebibyte })
  for await (const chunk of chunks) yield* find(chunk)
  assertEnd()
}

function createFinder() {
  const scanner = createScanner()
  let parts: Buffer[] | undefined
  let [size, index, line] = [0, 0, 1]
  const take = (part: Buffer) => {
    size += part.length
    if (size > maxEntryBytes) parts = []
    else parts?.push(part)
  }
  function* find(chunk: Buffer): Generator<EntryText> {
    let start = 0
    for (let at = 0; at < chunk.length; at += 1) {
      const event = scanner.read(chunk[at] ?? 0, index)
      if (event === 'begin') [parts, size, start, line] = [[], 0, at, scanner.line()]
      if (event !== 'end' || !parts) continue
      take(chunk.subarray(start, at + 1))
      yield { index, line, bytes: size > maxEntryBytes ? undefined : Buffer.concat(parts) }
      parts = undefined
      index += 1
    }
    if (parts) take(chunk.subarray(start))
  }
  return {
    find,
    assertEnd: () => {
      scanner.assertEnd(index)
    },
  }
}

const toCode = (character: string) => character.charCodeAt(0)
const [quote, backslash, lineFeed] = [toCode('"'), toCode('\\'), toCode('\n')]
const closerOf = new Map([
  [toCode('{'), toCode('}')],
  [toCode('['), toCode(']')],
])
const closers = new Set(closerOf.values())
const spaces = [' ', '\t', '\r', '\n']
/** A byte order mark can come before the object. */
const outside = new Set([...['{', ...spaces].map(toCode), 0xef, 0xbb, 0xbf])
const betweenEntries = new Set(['{', ',', ']', ...spaces].map(toCode))
const maxDepth = 1000
const ofEntries = 3

/** Follows the brackets and texts of JSON. `read` tells the first and the last byte of each entry. */
function createScanner() {
  const open: number[] = []
  const names = ['', '', '']
  let [name, line] = ['', 1]
  let [isInString, isEscaped, isInEntries, hasEntries] = [false, false, false, false]
  const fail = (reason: string) => {
    throw new InvalidHar(`${reason} (line ${String(line)})`)
  }
  const readText = (byte: number) => {
    if (isEscaped) isEscaped = false
    else if (byte === backslash) isEscaped = true
    else if (byte === quote) isInString = false
    else if (open.length < ofEntries && name.length < 10) name += String.fromCharCode(byte)
  }
  const begin = (byte: number, closer: number) => {
    if (open.length === maxDepth) fail('it is nested too deeply')
    if (open.length < ofEntries) names[open.length] = name
    open.push(closer)
    if (open.length !== ofEntries) return open.length === ofEntries + 1 && isInEntries
    isInEntries = names[1] === 'log' && names[2] === 'entries' && byte === toCode('[')
    hasEntries ||= isInEntries
    return false
  }
  const end = (byte: number) => {
    if (open.pop() !== byte) fail('it is not JSON: a bracket is missing')
    if (open.length < ofEntries) isInEntries = false
    return open.length === ofEntries && isInEntries
  }
  const check = (byte: number, index: number) => {
    if (open.length === 0 && !outside.has(byte)) fail('it is not an object in JSON')
    if (open.length === ofEntries && isInEntries && !betweenEntries.has(byte))
      fail(`log.entries[${String(index)}] must be an object`)
  }
  return {
    line: () => line,
    read: (byte: number, index: number): 'begin' | 'end' | undefined => {
      if (byte === lineFeed) line += 1
      if (isInString) {
        readText(byte)
        return undefined
      }
      check(byte, index)
      const closer = closerOf.get(byte)
      if (closer !== undefined) return begin(byte, closer) ? 'begin' : undefined
      if (closers.has(byte)) return end(byte) ? 'end' : undefined
      if (byte === quote) [isInString, name] = [true, '']
      return undefined
    },
    assertEnd: (index: number) => {
      if (open.length > 0) {
        const place = isInEntries ? ` in log.entries[${String(index)}]` : ''
        fail(`it ends early${place}`)
      }
      if (!hasEntries) throw new InvalidHar('it has no log.entries, which an HTTP Archive has')
    },
  }
}
