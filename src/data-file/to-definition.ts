import pluralize from 'pluralize'
import type { XStatic } from 'typebox/schema'
import { formatCount } from '../config/format-count.ts'
import type { ResourceDefinition, ResourceReference } from '../resources/definition.ts'
import type { FieldSchema, FieldSchemas } from '../http/openapi/json-schema.ts'
import { toLower, toTitle } from '../resources/field-values.ts'
import { textSchema } from '../stores/records/records.ts'
import type { GivenSchema } from './parse-schema.ts'
import type { GivenField, GivenFields } from './schema-keywords.ts'

const flag = { type: 'boolean' } as const
/** Of each field it is only known that it is a schema: forms and messages read any part of one. */
export const fieldsSchema = { type: 'object', additionalProperties: { type: 'object' } } as const

export const inferredSchema = {
  type: 'object',
  required: ['name', 'isSingular', 'idField', 'hasNumericIds', 'count', 'fields'],
  properties: {
    name: textSchema,
    isSingular: flag,
    isValue: flag,
    idField: textSchema,
    hasNumericIds: flag,
    count: { type: 'integer' },
    fields: { type: 'object', required: ['properties'], properties: { properties: fieldsSchema } },
  },
} as const

export type InferredResource = XStatic<typeof inferredSchema>

export interface DefinitionSource extends InferredResource {
  schema: GivenSchema | undefined
  names: readonly string[]
  foreignKeySuffix: string
  inferredFrom: string
}

export function toDefinition(source: DefinitionSource): ResourceDefinition {
  const { name, isSingular, names, schema = {}, idField, inferredFrom } = source
  const { additionalProperties: others } = schema
  const { references, properties, hints } = toFields(source)
  const unique = Object.keys(properties).filter((field) => properties[field]?.['x-unique'])
  const key = isSingular ? name : findFreeKey(name, names)
  return {
    name,
    singular: toLower(toTitle(key)),
    key,
    title: schema.title ?? toTitle(name),
    summary: schema.description ?? summarize(source, Object.keys(properties)),
    ...(source.isValue && { isValue: true }),
    ...(isSingular ? { isSingular } : { idField, hasNumericIds: hasNumericIds(source) }),
    namedBy: findNaming({ ...properties, ...hints }) ?? '',
    hasTimes: false,
    hasEvents: true,
    defaultType: 'application/json',
    usesEnvelope: false,
    hasSchema: source.schema !== undefined,
    allowsUnknown: others !== false,
    references,
    unique,
    hints,
    inferredFrom,
    schema: {
      ...schema,
      // What is not stored is no error.
      additionalProperties: others === false ? true : (others ?? true),
      type: 'object',
      required: (schema.required ?? []).filter((field) => Object.hasOwn(properties, field)),
      properties,
    },
  }
}

const maxNamed = 5

function summarize(source: DefinitionSource, fields: readonly string[]): string {
  if (source.isValue) return 'A value of the data file.'
  const records = source.isSingular ? 'One object' : formatCount(source.count, 'record')
  const others = fields.length > maxNamed ? [`and ${String(fields.length - maxNamed)} more`] : []
  const names = [...fields.slice(0, maxNamed), ...others].join(', ')
  return `${records} in the data file. ${names ? `Fields: ${names}` : 'Any field is accepted'}.`
}

function toFields(source: DefinitionSource) {
  const { isSingular, schema, idField, fields } = source
  const found: FieldSchemas = fields.properties
  const inferred = schema?.additionalProperties === false ? {} : found
  const all: GivenFields = { ...inferred, ...schema?.properties }
  const names = Object.keys(all).filter((name) => isSingular || name !== idField)
  const references = findReferences(source, all, names)
  const rules: [string, GivenField][] = []
  const hints: [string, FieldSchema][] = []
  for (const name of names) {
    const isReference = references.some(({ field }) => field === name)
    const short = isReference ? name.replace(/(.)(Id|_id)$/, '$1') : name
    // Two columns with one label could not be told apart.
    const title = toTitle(Object.hasOwn(all, short) ? name : short)
    const given = schema?.properties?.[name]
    const { type, examples = [], ...others } = found[name] ?? {}
    const shown = { ...(type && { type }), ...(!given?.writeOnly && { examples }) }
    const hint = given || isReference ? shown : { ...shown, ...others }
    if (given && (hasRule(given) || !type)) {
      rules.push([
        name,
        { title, ...(examples.length > 0 && { examples: shown.examples }), ...given },
      ])
      continue
    }
    rules.push([name, { title, ...toRule(hint, schema?.required?.includes(name)), ...given }])
    hints.push([name, { title, ...hint, ...given }])
  }
  return { references, properties: Object.fromEntries(rules), hints: Object.fromEntries(hints) }
}

function hasRule(field: GivenField): boolean {
  const keywords = ['type', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', 'not', 'if']
  return keywords.some((keyword) => keyword in field)
}

/** What the values show excludes one thing: a value of another type than they all have. */
function toRule(
  { type: found = [], enum: choices, examples = [], items, properties }: FieldSchema,
  isRequired = false,
): FieldSchema {
  const types = [found].flat().map((type) => (type === 'integer' ? 'number' : type))
  const shown = choices?.filter((choice) => choice !== null) ?? examples
  const inside = Object.entries(properties ?? {}).map(([name, each]): [string, FieldSchema] => [
    name,
    toRule(each),
  ])
  const others = isRequired ? [] : (['null'] as const)
  const values = types.filter((type) => type !== 'null')
  return {
    ...(values.length > 0 && { type: [...new Set(values), ...others] }),
    ...(shown.length > 0 && { examples: shown }),
    ...(items && { items: toRule(items) }),
    ...(properties && { properties: Object.fromEntries(inside) }),
  }
}

function hasNumericIds({ schema, idField, ...inferred }: DefinitionSource): boolean {
  const type = schema?.properties?.[idField]?.type
  return type === undefined ? inferred.hasNumericIds : [type].flat().includes('integer')
}

const namingFields = ['name', 'title', 'label', 'username', 'email', 'subject', 'slug']

function findNaming(properties: GivenFields): string | undefined {
  const isText = ({ type, maxLength = 0, writeOnly }: FieldSchema) =>
    [type].flat().includes('string') && maxLength <= 200 && writeOnly !== true
  return namingFields.find((name) => isText(properties[name] ?? {}))
}

/** Returns the references that the schema declares, and fields like `authorId` or `author_id` of `authors`. */
function findReferences(
  { names, isSingular, foreignKeySuffix }: DefinitionSource,
  properties: GivenFields,
  fields: readonly string[],
): ResourceReference[] {
  if (isSingular) return []
  return fields.flatMap((field) => {
    const declared = properties[field]?.['x-references']
    if (declared !== undefined) {
      const given = typeof declared === 'string' ? { resource: declared } : declared
      return [{ onDelete: 'restrict' as const, ...given, field }]
    }
    const suffix = [foreignKeySuffix, '_id'].find((end) => end !== '' && field.endsWith(end))
    if (suffix === undefined) return []
    const parent = field.slice(0, -suffix.length)
    // json-server takes `axisId` for a field of `axes`, and `operadoraId` for one of `operadora`.
    const parents = [parent, pluralize(parent)].map(toPlain)
    const resource = names.find((name) =>
      [name, pluralize.singular(name)].map(toPlain).some((each) => parents.includes(each)),
    )
    if (resource === undefined) return []
    return [{ field, resource, onDelete: 'restrict' as const, isInferred: true }]
  })
}

/** `blogPosts`, `blog-posts` and `blog_posts` are one name. */
const toPlain = (name: string): string => name.replace(/[-_]/g, '').toLowerCase()

/** The key is also the name of the schema in OpenAPI, so each is used once. */
function findFreeKey(name: string, names: readonly string[]): string {
  const singular = pluralize.singular(name)
  const isFree = !names.some((other) => other !== name && pluralize.singular(other) === singular)
  return isFree ? singular : name
}
