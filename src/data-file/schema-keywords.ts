import type { XStatic } from 'typebox/schema'
import { compileLater } from '../http/body/json-schema.ts'
import { jsonTypes, type FieldSchema } from '../http/openapi/json-schema.ts'

const toWords = (text: string) => text.trim().split(/\s+/)
export const oneSchema =
  toWords(`additionalProperties contains contentSchema else if items not propertyNames
  then unevaluatedItems unevaluatedProperties`)
const schemaLists = toWords('allOf anyOf oneOf prefixItems')
const schemaMaps = toWords('dependentSchemas patternProperties properties')
export const schemasInside = [...schemaLists, ...schemaMaps, 'dependencies']

const text = { type: 'string' } as const
const texts = { type: 'array', items: text }
const flag = { type: 'boolean' } as const
const onDelete = { enum: ['restrict', 'cascade', 'set null'] } as const
const reference = {
  type: 'object',
  required: ['resource'],
  properties: { resource: text, onDelete },
} as const
const ownKeywords = { 'x-references': { anyOf: [text, reference] }, 'x-unique': flag } as const
const fieldOrFlag = { $ref: '#/$defs/fieldOrFlag' }

type OwnKeywords = XStatic<{ type: 'object'; properties: typeof ownKeywords }>

/** A field of a resource: what forms and routes read of it; the validator uses all of it. */
export type GivenField = FieldSchema & OwnKeywords
export type GivenFields = Readonly<Record<string, GivenField>>

const withValue = (names: readonly string[], schema: object) =>
  Object.fromEntries(names.map((name) => [name, schema]))

const properties = {
  type: {
    anyOf: [{ enum: jsonTypes }, { type: 'array', items: { enum: jsonTypes }, minItems: 1 }],
  },
  ...withValue(
    toWords(
      'title description format pattern contentEncoding contentMediaType $comment $id $anchor $dynamicAnchor',
    ),
    text,
  ),
  enum: { type: 'array', minItems: 1 },
  ...withValue(toWords('minimum maximum exclusiveMinimum exclusiveMaximum'), { type: 'number' }),
  multipleOf: { type: 'number', exclusiveMinimum: 0 },
  ...withValue(
    toWords(`minLength maxLength minItems maxItems minProperties maxProperties minContains
      maxContains`),
    { type: 'integer', minimum: 0 },
  ),
  ...withValue(toWords('readOnly writeOnly uniqueItems deprecated'), flag),
  required: texts,
  dependentRequired: { type: 'object', additionalProperties: texts },
  examples: { type: 'array' },
  ...ownKeywords,
  ...withValue(oneSchema, fieldOrFlag),
  ...withValue(schemaLists, { type: 'array', items: fieldOrFlag, minItems: 1 }),
  ...withValue(schemaMaps, { type: 'object', additionalProperties: fieldOrFlag }),
  dependencies: { type: 'object', additionalProperties: { anyOf: [texts, fieldOrFlag] } },
  // A reference between schemas would have no place in OpenAPI.
  $ref: false,
  $defs: false,
}

export const keywords = [...Object.keys(properties), 'const', 'default', '$schema', '$vocabulary']

const $defs = { fieldOrFlag: { type: ['object', 'boolean'], properties } }
export const validate = compileLater({ ...fieldOrFlag, $defs })
