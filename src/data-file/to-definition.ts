import pluralize from 'pluralize'
import type { FieldSchema, ResourceDefinition, ResourceReference } from '../resources/definition.ts'
import { capitalize } from '../resources/field-values.ts'
import type { Fields } from './infer-schema.ts'
import type { GivenField, GivenSchema } from './parse-schema.ts'

/** What the records of a file show, without a schema. */
export interface InferredResource {
  name: string
  isSingular: boolean
  idField: string
  hasNumericIds: boolean
  /** Of the records. */
  count: number
  fields: Fields
}

export interface DefinitionSource extends InferredResource {
  schema: GivenSchema | undefined
  /** The names of all resources. */
  names: readonly string[]
  foreignKeySuffix: string
}

export function toDefinition(source: DefinitionSource): ResourceDefinition {
  const { name, isSingular, names, schema = {}, idField } = source
  const { properties, required } = toFields(source)
  // The id is not one of the properties.
  const { title, description, ...others } = { ...schema, additionalProperties: true }
  const references = findReferences(source, properties)
  const unique = Object.keys(properties).filter((field) => properties[field]?.['x-unique'])
  const key = isSingular ? name : toKey(name, names)
  return {
    name,
    singular: toTitle(key).toLowerCase(),
    key,
    title: title ?? toTitle(name),
    summary: description ?? summarize(source, Object.keys(properties)),
    ...(isSingular ? { isSingular } : { idField, hasNumericIds: hasNumericIds(source) }),
    namedBy: findNaming(properties) ?? '',
    hasTimes: false,
    hasEvents: true,
    defaultType: 'application/json',
    usesEnvelope: false,
    // An empty array or object shows no fields.
    hasSchema: source.schema !== undefined,
    allowsUnknown: source.schema === undefined && Object.keys(properties).length === 0,
    references,
    unique,
    schema: {
      ...others,
      type: 'object',
      required,
      properties: openReferences(properties, source, references),
    },
  }
}

const maxNamed = 5

function summarize(source: DefinitionSource, fields: readonly string[]): string {
  const count = source.count.toLocaleString('en')
  const records = source.isSingular ? 'One object' : `${count} record${count === '1' ? '' : 's'}`
  const others = fields.length > maxNamed ? [`and ${String(fields.length - maxNamed)} more`] : []
  const names = [...fields.slice(0, maxNamed), ...others].join(', ')
  return `${records} in the data file. ${names ? `Fields: ${names}` : 'Any field is accepted'}.`
}

type GivenFields = Fields & { properties: Readonly<Record<string, GivenField>> }

/** Those of the schema, and those that are only in the data. */
function toFields({ isSingular, schema, idField, fields: found }: DefinitionSource): GivenFields {
  const isField = (name: string) => isSingular || name !== idField
  const inferred = schema?.additionalProperties === false ? {} : found.properties
  const all = Object.entries({ ...inferred, ...schema?.properties })
  const properties = all
    .filter(([name]) => isField(name))
    .map(([name, field]): [string, GivenField] => [
      name,
      { title: toTitle(name), ...inferRest(field, found.properties[name]), ...field },
    ])
  const required = schema?.required ?? found.required.filter((name) => !isCleared(schema, name))
  const isKnown = (name: string) => properties.some(([field]) => field === name)
  return { properties: Object.fromEntries(properties), required: required.filter(isKnown) }
}

/** Whether the field loses its value when the record to which it refers is deleted. */
function isCleared(schema: GivenSchema | undefined, name: string): boolean {
  const declared = schema?.properties?.[name]?.['x-references']
  return typeof declared === 'object' && declared.onDelete === 'set null'
}

/** The example that the records show, and their type for a field whose schema has no rule about types. */
function inferRest(field: GivenField, { type, examples }: FieldSchema = {}): FieldSchema {
  const hasRule = ['type', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', 'not', 'if'].some(
    (keyword) => keyword in field,
  )
  const isShown = examples !== undefined && field.writeOnly !== true
  return { ...(!hasRule && type && { type }), ...(isShown && { examples }) }
}

function hasNumericIds({ schema, idField, ...inferred }: DefinitionSource): boolean {
  const type = schema?.properties?.[idField]?.type
  return type === undefined ? inferred.hasNumericIds : [type].flat().includes('integer')
}

const namingFields = ['name', 'title', 'label', 'username', 'email', 'subject', 'slug']

/** The field that names a record, if there is a usual one. */
function findNaming(properties: Fields['properties']): string | undefined {
  const isText = ({ type, maxLength = 0, writeOnly }: FieldSchema) =>
    [type].flat().includes('string') && maxLength <= 200 && writeOnly !== true
  return namingFields.find((name) => isText(properties[name] ?? {}))
}

/** The ids that the data has are not the only ones: a field of short text may have been inferred as a choice. */
function openReferences(
  properties: GivenFields['properties'],
  { schema }: DefinitionSource,
  references: readonly ResourceReference[],
): GivenFields['properties'] {
  const entries = references.map(({ field }): [string, GivenField] => {
    const given = schema?.properties?.[field]
    const { type: shown = [], examples } = properties[field] ?? {}
    // A null in the data does not make an explicit "required" void.
    const isOpen = !schema?.required?.includes(field)
    const type = [shown].flat().filter((each) => isOpen || each !== 'null')
    const title = toTitle(field.replace(/(.)(Id|_id)$/, '$1'))
    const own = { ...(type.length > 0 && { type }), ...(examples && { examples }), ...given }
    return [field, { title, ...own }]
  })
  return Object.fromEntries<GivenField>([...Object.entries(properties), ...entries])
}

/** Those that the schema declares, and fields such as `authorId` or `author_id` of `authors`. */
function findReferences(
  { names, isSingular, foreignKeySuffix }: DefinitionSource,
  properties: GivenFields['properties'],
): ResourceReference[] {
  if (isSingular) return []
  return Object.entries(properties).flatMap(([field, { 'x-references': declared }]) => {
    if (declared !== undefined) {
      const given = typeof declared === 'string' ? { resource: declared } : declared
      return [{ onDelete: 'restrict' as const, ...given, field }]
    }
    const suffix = [foreignKeySuffix, '_id'].find((end) => end !== '' && field.endsWith(end))
    if (suffix === undefined) return []
    const parent = field.slice(0, -suffix.length)
    // As in json-server: `axisId` of `axes`, `operadoraId` of `operadora`.
    const parents = [parent, pluralize(parent)].map(toPlain)
    const resource = names.find((name) =>
      [name, pluralize.singular(name)].map(toPlain).some((each) => parents.includes(each)),
    )
    return resource === undefined ? [] : [{ field, resource, onDelete: 'restrict' as const }]
  })
}

/** `blogPosts`, `blog-posts` and `blog_posts` are one name. */
function toPlain(name: string): string {
  return name.replace(/[-_]/g, '').toLowerCase()
}

/** Also the name of its schema in OpenAPI, so each is used once. */
function toKey(name: string, names: readonly string[]): string {
  const singular = pluralize.singular(name)
  const isFree = !names.some((other) => other !== name && pluralize.singular(other) === singular)
  return isFree ? singular : name
}

/** `firstName`, `first_name` and `first-name` become `First name`. */
function toTitle(name: string): string {
  const words = name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/[-_\s]+/g, ' ')
  const text = words.trim().replace(/[A-Z][a-z]/g, (start: string) => start.toLowerCase())
  return text === '' ? name : capitalize(text)
}
