import { isObject } from '../config/is-object.ts'
import { maxFields } from '../config/limits.ts'
import { openFormats } from '../http/body/json-schema.ts'
import { formatKinds, toJsonType } from '../http/openapi/json-schema.ts'
import type { FieldSchema, JsonType } from '../http/openapi/json-schema.ts'
import type { Document } from '../stores/records/records.ts'

export interface InferredFields {
  properties: Readonly<Record<string, FieldSchema>>
}

const maxDepth = 5
const longTextLength = 200
const maxLongTextLength = 65_536

export function inferFields(records: readonly Document[], depth = 0): InferredFields | undefined {
  const valuesByName = new Map<string, unknown[]>()
  for (const record of records) {
    for (const name of Object.keys(record)) {
      const values = valuesByName.get(name)
      if (values) values.push(record[name])
      else valuesByName.set(name, [record[name]])
    }
    if (valuesByName.size > maxFields) return undefined
  }
  const entries = [...valuesByName]
  return {
    properties: Object.fromEntries(
      entries.map(([name, values]) => [name, inferSchema(values, depth)]),
    ),
  }
}

function inferSchema(values: readonly unknown[], depth: number): FieldSchema {
  const found = new Set(values.map(toType))
  if (found.has('number')) found.delete('integer')
  const types = [...found]
  const [type, ...others] = types.filter((each) => each !== 'null')
  if (type === undefined) return {}
  const example = values.find((value) => value !== null)
  const isShort = JSON.stringify(example).length <= longTextLength
  const schema = {
    type: types.length === 1 ? type : types,
    ...(isShort && { examples: [example] }),
  }
  if (others.length > 0) return schema
  if (type === 'string') {
    const texts = values.filter((value) => typeof value === 'string')
    return { ...schema, ...inferText(texts, types.includes('null')) }
  }
  if (depth >= maxDepth) return schema
  if (type === 'array') {
    const items = values.filter(Array.isArray).flatMap((value: readonly unknown[]) => value)
    return items.length === 0 ? schema : { ...schema, items: inferSchema(items, depth + 1) }
  }
  const inside = type === 'object' && inferFields(values.filter(isObject), depth + 1)
  return inside ? { ...schema, ...inside } : schema
}

function toType(value: unknown): JsonType {
  return Number.isInteger(value) ? 'integer' : toJsonType(value)
}

const maxChoices = 10

function findChoices(texts: readonly string[]): readonly string[] | undefined {
  const counts = new Map<string, number>()
  for (const text of texts) {
    if (!/^\p{L}[\p{L}\p{N} _-]{0,29}$/u.test(text)) return undefined
    counts.set(text, (counts.get(text) ?? 0) + 1)
    if (counts.size > maxChoices) return undefined
  }
  const isRepeated = [...counts.values()].every((count) => count > 1)
  return counts.size > 1 && isRepeated && texts.length >= 3 * counts.size
    ? [...counts.keys()]
    : undefined
}

export function findFormat(texts: readonly string[]) {
  const formats = openFormats()
  const isOf = (format: string) => (text: string) =>
    formats.Test(format, text) && (format !== 'uri' || /^https?:/i.test(text))
  return formatKinds.find((each) => texts.every(isOf(each)))
}

function inferText(texts: readonly string[], isNullable: boolean): FieldSchema {
  const format = findFormat(texts)
  if (format) return { format }
  const choices = findChoices(texts)
  if (choices) return { enum: isNullable ? [...choices, null] : choices }
  const longest = texts.reduce((length, text) => Math.max(length, text.length), 0)
  const isLong = longest > longTextLength || texts.some((text) => text.includes('\n'))
  return isLong ? { maxLength: Math.max(maxLongTextLength, longest) } : {}
}
