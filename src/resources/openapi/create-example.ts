import { toPlain, toSampleType, type FieldSchema } from '../../http/openapi/json-schema.ts'
import type { Field } from '../definition.ts'
import { samplePassword } from '../samples.ts'

export function toExample({ schema, isRequired }: Field): unknown {
  const [example] = schema.examples ?? []
  return example ?? (isRequired ? createExample(schema) : schema.default)
}

/** A new record cannot have the value of a stored one. */
export function toOther(value: unknown): unknown {
  if (typeof value === 'number') return value + 1000
  return typeof value === 'string' ? `new-${value}` : value
}

/** A list has this many example items, down to this depth of nested lists; deeper lists have one. */
const maxExamples = 3
const maxExampleLength = 200

function createExample(given: FieldSchema, depth = 0): unknown {
  const schema = toPlain(given)
  const { examples, default: fallback, enum: choices, minimum = 1, maximum } = schema
  const known = examples?.[0] ?? fallback ?? choices?.[0]
  if (known !== undefined) return known
  switch (toSampleType(schema)) {
    case 'string':
      return createText(schema)
    case 'number':
    case 'integer':
      return Math.min(minimum, maximum ?? minimum)
    case 'boolean':
      return true
    case 'array': {
      // Arrays inside each other multiply.
      const maxItems = depth < maxExamples ? maxExamples : 1
      const length = Math.min(schema.minItems ?? 1, maxItems)
      return Array.from({ length }, () => createExample(schema.items ?? {}, depth + 1))
    }
    case 'object': {
      const { properties = {}, required = [] } = schema
      const members = Object.entries(properties).filter(([name]) => required.includes(name))
      return Object.fromEntries(members.map(([name, each]) => [name, createExample(each, depth)]))
    }
    default:
      return null
  }
}

export const exampleUuid = '01a1fd31-7d3a-7638-817f-35783eb23000'
export const exampleTime = '2026-11-21T08:20:41.403Z'

const texts: Readonly<Record<string, string>> = {
  date: '2026-11-21',
  time: '08:20:41Z',
  email: 'ann@example.org',
  uri: 'https://example.org/',
  'date-time': exampleTime,
  uuid: exampleUuid,
}

function createText({ format = '', writeOnly, minLength = 0, maxLength }: FieldSchema): string {
  const text = writeOnly === true ? samplePassword : 'Some text'
  return (
    texts[format] ?? text.padEnd(Math.min(minLength, maxExampleLength), '.').slice(0, maxLength)
  )
}
