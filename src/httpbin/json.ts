import type { Config } from '../config/config.ts'
import { formatNumber } from '../config/format-count.ts'
import { maxJsonValues } from '../config/limits.ts'
import { assertDepth, hasMoreThan } from '../http/body/parse-json.ts'
import { remember } from '../http/remember.ts'
import { sortByName } from './text.ts'

/** A number keeps the digits that it is written with. */
export class JsonNumber extends String {}

export interface JsonStyle {
  /** Whether the members of a `Map` are sorted by name. Those of other objects always are. */
  sortsMaps: boolean
  escaped: RegExp
  compact: readonly [comma: string, colon: string]
}

export function toPrettyJson(value: unknown, style: JsonStyle): string {
  return escape(`${write(value, style, '\n')}\n`, style)
}

export function toCompactJson(value: unknown, style: JsonStyle): string {
  return escape(write(value, style), style)
}

function write(value: unknown, style: JsonStyle, newline?: string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null)
  if (value instanceof JsonNumber) return value.toString()
  const [comma, colon] = newline === undefined ? style.compact : [',', ': ']
  const inner = newline === undefined ? undefined : `${newline}  `
  let items = ''
  const add = (text: string) => {
    items += (items && comma) + (inner ?? '') + text
  }
  const isList = Array.isArray(value)
  if (isList) for (const item of value) add(write(item, style, inner))
  else {
    for (const [name, item] of toMembers(value, style)) {
      add(quoteName(name) + colon + write(item, style, inner))
    }
  }
  const end = items && (newline ?? '')
  return isList ? `[${items}${end}]` : `{${items}${end}}`
}

const quoteName = remember((name) => JSON.stringify(name))

function toMembers(value: object, { sortsMaps }: JsonStyle): Iterable<readonly [string, unknown]> {
  if (!isMembers(value)) return sortByName(Object.entries(value))
  return sortsMaps ? sortByName([...value]) : value
}

/** Only this folder makes maps, and their keys are names. */
const isMembers = (value: object): value is Map<string, unknown> => value instanceof Map

/** These characters are in strings only, so that the whole text is escaped at once. */
function escape(text: string, { escaped }: JsonStyle): string {
  const toHex = (run: string) => Buffer.from(run, 'utf16le').swap16().toString('hex')
  return text.replace(escaped, (run) => toHex(run).replaceAll(/.{4}/g, '\\u$&'))
}

/** A number whose digits another program writes in another way than JavaScript; also some texts. */
const oddNumber = /(?:^|[[:,\s])-?(?:\d+[.eE]|\d{16}|(?<=-)0)/

/** Throws an Error. Numbers keep their digits, if `toNumber` returns a `JsonNumber`. */
export function parseJsonNumbers(
  text: string,
  { maxJsonDepth }: Config,
  toNumber: (digits: string) => unknown,
): unknown {
  assertDepth(text, maxJsonDepth)
  // The characters in strings count too, so that the text need not be parsed first.
  if (hasMoreThan(text, ',[{', maxJsonValues))
    throw new Error(`There are more than ${formatNumber(maxJsonValues)} values.`)
  // A function that is called for each value takes ten times as long.
  if (!oddNumber.test(text)) return JSON.parse(text)
  return JSON.parse(text, (_name, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' ? toNumber(context?.source ?? '') : value,
  )
}
