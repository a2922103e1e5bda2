import fc, { type Arbitrary } from 'fast-check'
import { codePoints } from '../code-points.ts'

/** The part of JSON Schema that the document uses for requests. */
interface InputSchema {
  type?: string
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly InputSchema[]
  allOf?: readonly [InputSchema]
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  maxItems?: number
  items?: InputSchema
  required?: readonly string[]
  properties?: Readonly<Record<string, InputSchema>>
  additionalProperties?: InputSchema | boolean
}

/** Values that are valid against the schema. */
export function validValue(schema: InputSchema): Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.properties && schema.type === undefined) return validObject(schema)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  // That of a form, whose values become text when they are sent.
  if (schema.allOf) return validValue({ type: 'object', ...schema.allOf[0] })
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(validValue))
  const { minimum, maximum, items = {}, maxItems = 4 } = schema
  switch (schema.type) {
    case 'string':
      return validText(schema)
    case 'integer':
      return fc.integer({ min: minimum ?? -1000, max: maximum ?? 1000 })
    case 'number':
      return fc.double({ min: minimum ?? -1e6, max: maximum ?? 1e6, noNaN: true })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return fc.array(validValue(items), { maxLength: Math.min(maxItems, 4) })
    case 'object':
      return validObject(schema)
    default:
      return fc.jsonValue({ maxDepth: 3 })
  }
}

function validText({ pattern, minLength = 0, maxLength = 60 }: InputSchema): Arbitrary<string> {
  // Of ids and lists; the other patterns forbid single characters.
  if (pattern && /[})*]\$$/.test(pattern)) {
    // fast-check has no lookahead, which has groups of one level here.
    const plain = pattern.replaceAll(/\(\?![^()]*(?:\([^()]*\)[^()]*)*\)/g, '')
    return fc.stringMatching(new RegExp(plain)).filter((text) => new RegExp(pattern).test(text))
  }
  const text = fc.string({ minLength, maxLength: Math.min(maxLength, 60), unit: codePoints })
  return pattern === undefined ? text : text.filter((value) => new RegExp(pattern).test(value))
}

function validObject({ properties = {}, required = [], ...schema }: InputSchema) {
  const { additionalProperties: others = false } = schema
  const named = fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, validValue(one)])),
    { requiredKeys: [...required] },
  )
  const unusual =
    typeof others === 'boolean'
      ? fc.constant({})
      : fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), validValue(others), { maxKeys: 3 })
  return fc.tuple(unusual, named).map(([some, more]) => ({ ...some, ...more }))
}

/** Values of which most are not valid against the schema. */
export function anyValue(schema: InputSchema): Arbitrary<unknown> {
  const names = Object.keys((schema.allOf?.[0] ?? schema).properties ?? {})
  const wrongFields = fc.dictionary(
    fc.constantFrom(...names, '_id', 'createdAt', 'strange'),
    fc.jsonValue({ maxDepth: 2 }),
  )
  return fc.oneof(
    wrongFields,
    fc.jsonValue({ maxDepth: 3 }),
    validValue(schema).map((value) => [value]),
    fc.string({ unit: codePoints }),
  )
}
