import type { Validator } from 'typebox/schema'
import { compileLater } from '../http/body/json-schema.ts'
import { formHeaderNames, previousPrefix } from '../http/request/parameters.ts'
import type { Html } from '../site/html.ts'
import type { Document, StoredRecord } from '../stores/records/records.ts'
import { isSlow, toFieldKind, toTypes } from '../http/openapi/json-schema.ts'
import type { FieldSchema, FieldSchemas } from '../http/openapi/json-schema.ts'

export interface ResourceDefinition {
  /** Plural: the name of the demo and its path (`users` for `/users`). */
  name: string
  singular: string
  key?: string
  /** The name of the schema of a record in OpenAPI; the names of related schemas begin with it. */
  schemaName?: string
  title: string
  summary: string
  /** The fields in the order in which they are shown; the first names the record. */
  schema: {
    type: 'object'
    required: string[]
    properties: FieldSchemas
    dependentRequired?: Readonly<Record<string, readonly string[]>>
    additionalProperties?: boolean | FieldSchema
  }
  /** The longest text in UTF-8, by field: JSON Schema counts characters only. */
  maxBytes?: Readonly<Record<string, number>>
  indexed?: readonly string[]
  /** The field that names the record; the first if unset, and the singular with the id if empty. */
  namedBy?: string
  /** The field that has the id in the stored document too, as text or a whole number. `_id` is not stored. */
  idField?: string
  /** New ids continue the stored numbers. They are UUIDs if unset. */
  hasNumericIds?: boolean
  hasTimes?: boolean
  /** The type of a response if the client has no preference; a page if unset. */
  defaultType?: 'text/html' | 'application/json'
  /** Whether PATCH and DELETE respond with the envelope of the original API; true if unset. */
  usesEnvelope?: boolean
  hasEvents?: boolean
  /** One record, at the path itself, that cannot be deleted. */
  isSingular?: boolean
  /** A value that is stored in the field `value` of a singular record. */
  isValue?: boolean
  allowsUnknown?: boolean
  hasDialect?: boolean
  hasSchema?: boolean
  /** What the records show of fields whose type is inferred: forms, filters and pages use it, and no rule does. */
  hints?: FieldSchemas
  inferredFrom?: string
  references?: readonly ResourceReference[]
  unique?: readonly string[]
  createFigure?: () => Figure
  /** A valid document for `vitrine seed`, always the same for one number. */
  createSample?: (number: number) => Document
}

export interface ResourceReference {
  field: string
  resource: string
  onDelete: 'restrict' | 'cascade' | 'set null'
  /** The relation is inferred from the name of the field: a write may name a record that does not exist. */
  isInferred?: boolean
}

export interface Figure {
  /** `link` is undefined on the page of the record itself. */
  add: (record: StoredRecord, link?: RecordLink) => void
  /** `toFiltered` is the URL of the same list with more filters, if a URL can have them. */
  toHtml: (toFiltered?: (filters: Readonly<Record<string, string>>) => string | undefined) => Html
}

export interface RecordLink {
  label: string
  href: string
}

export const acceptedTypes = ['application/json', 'application/x-www-form-urlencoded'] as const

export const mergeType = 'application/merge-patch+json'
export const jsonPatchType = 'application/json-patch+json'
export const patchTypes = [...acceptedTypes, mergeType, jsonPatchType] as const

export type Field = ReturnType<typeof toFields>[number]

export type Resource = ReturnType<typeof defineResource>

const dateTimeSchema = { type: 'string', format: 'date-time' } as const

const timeSchemas: FieldSchemas = {
  createdAt: { ...dateTimeSchema, title: 'Created' },
  updatedAt: { ...dateTimeSchema, title: 'Updated' },
}

export function defineResource(definition: ResourceDefinition) {
  const { name, singular, idField, isSingular = false } = definition
  const { hasDialect = false, hasSchema = true, isValue = false } = definition
  const schema = { ...definition.schema, properties: toProperties(definition) }
  const storesId = idField !== undefined && !isSingular
  // json-server accepts any value, as a value does: only a schema that the user gave is checked.
  const isChecked = hasSchema || !(hasDialect || isValue)
  return {
    usesEnvelope: true,
    hasEvents: false,
    allowsUnknown: false,
    hasNumericIds: false,
    references: [],
    unique: [],
    key: singular,
    ...definition,
    schema,
    hasDialect,
    isValue,
    editMethod: isValue ? ('PUT' as const) : ('PATCH' as const),
    isChecked,
    isSlow: isSlow(schema),
    oneRecord: `${isSingular ? 'the' : toArticle(singular)} ${singular}`,
    path: `/${encodeURIComponent(name)}`,
    isSingular,
    storesId,
    idName: idField ?? '_id',
    ...toFieldSets({ ...definition, schema }, isChecked),
    defaultType: definition.defaultType ?? 'text/html',
    validator: createValidator(schema, storesId ? { [idField]: {} } : {}),
  }
}

function toFieldSets(definition: ResourceDefinition, isChecked: boolean) {
  const { schema, hints, idField, hasTimes = true, isSingular = false } = definition
  const { indexed = [], references = [], unique = [] } = definition
  const ids = isSingular ? [] : toIdFields(definition)
  const times = hasTimes ? toFields(timeSchemas, { isOwn: true }) : []
  const own = [...ids, ...times]
  assertFieldNames(definition, own)
  const required = isChecked ? schema.required : []
  const fields = toFields(schema.properties, { required, hints })
  const readable = fields.filter(({ kind }) => kind !== 'password')
  const searched = [...indexed, ...unique, ...references.map(({ field }) => field)]
  const stored = idField === undefined ? fields : [...ids, ...fields]
  return {
    hasTimes,
    fields,
    readable,
    indexedPaths: stored
      .filter(({ name }) => name === idField || searched.includes(name))
      .map(({ path }) => path),
    naming: findNaming(definition, readable),
    editable: fields.filter((field) => isSet(schema, field.name)),
    passwords: fields.filter(({ kind }) => kind === 'password'),
    visible: [...ids, ...readable, ...times],
    times,
    fixed: [...own, ...fields.filter((field) => !isSet(schema, field.name))].map(
      ({ name }) => name,
    ),
  }
}

const isSet = ({ properties }: ResourceDefinition['schema'], field: string) =>
  properties[field]?.readOnly !== true

/** The stored id is declared, so that `additionalProperties` does not reject it. */
function createValidator(schema: ResourceDefinition['schema'], id: FieldSchemas): () => Validator {
  return compileLater({
    ...schema,
    properties: { ...id, ...schema.properties },
    required: schema.required.filter((field) => isSet(schema, field)),
  })
}

function toProperties({ schema, references = [] }: ResourceDefinition): FieldSchemas {
  const properties = { ...schema.properties }
  for (const { field } of references.filter((known) => !schema.required.includes(known.field))) {
    const { type, ...rule } = properties[field] ?? {}
    const types = new Set([...[type ?? []].flat(), 'null' as const])
    if (type) properties[field] = { type: [...types], ...rule }
  }
  return properties
}

function assertFieldNames({ name, schema }: ResourceDefinition, own: readonly Field[]): void {
  for (const field of Object.keys(schema.properties))
    if (field === '' || own.some((known) => known.name === field))
      throw new Error(`${name}: invalid field name "${field}"`)
}

function findNaming({ namedBy, references = [] }: ResourceDefinition, readable: readonly Field[]) {
  const named = readable.filter(({ name }) => references.every(({ field }) => field !== name))
  return named.find((field) => field.name === namedBy) ?? named[0]
}

/** `user`, `unit` and `URL` start with a consonant, and `HTML` with a vowel. */
const toArticle = (noun: string): string =>
  /^([aeio]|u(?!s|ni|r[il]))/i.test(noun) || /^[FHLMNRSX][A-Z]/.test(noun) ? 'an' : 'a'

function toIdFields({ idField, hasNumericIds = false }: ResourceDefinition) {
  const type = hasNumericIds ? (['integer', 'string'] as const) : 'string'
  const isOwn = idField === undefined
  return toFields({ [idField ?? '_id']: { type, title: 'ID' } }, { isOwn })
}

interface FieldOptions {
  required?: readonly string[]
  hints?: FieldSchemas | undefined
  isOwn?: boolean
}

function toFields(schemas: FieldSchemas, options: FieldOptions) {
  const { required = [], hints = {}, isOwn = false } = options
  return Object.entries(schemas).map(([name, rule], index) => {
    const isInferred = Object.hasOwn(hints, name)
    const schema = (isInferred ? hints[name] : undefined) ?? rule
    return {
      name,
      path: isOwn ? name : [name],
      label: rule.title ?? name,
      kind: toFieldKind(schema, rule),
      isRequired: required.includes(name),
      isNullable: toTypes(schema).includes('null'),
      acceptsNull: toTypes(rule).includes('null'),
      isInferred,
      rule,
      /** The schema of the values that it has: the rule, unless that is inferred. */
      schema,
      inputId: /^[a-z]\w*$/i.test(name) ? name : `field-${String(index)}`,
      /** The name of its input. Differs from `name` if a form cannot contain that name. */
      inputName: toInputName(name),
    }
  })
}

/** Brackets nest in a form, and bodies lose `__proto__` and the names that are no fields. */
function toInputName(name: string): string {
  const isTaken = formHeaderNames.some((known) => known === name) || name.startsWith(previousPrefix)
  if (name === '__proto__' || isTaken) return `%5F${name.slice(1)}`
  return name.replace(/[%[\]]/g, encodeURIComponent)
}
