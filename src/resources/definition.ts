import type { Html } from '../site/html.ts'
import type { StoredRecord } from '../stores/records/records.ts'
import type { Validator } from 'typebox/schema'
import { compileLater } from '../http/body/json-schema.ts'
import { formHeaderNames } from '../http/request/query-string.ts'

/** What makes one resource different from another; its routes, forms and storage follow from it. */
export interface ResourceDefinition {
  /** Plural: the name of the demo and its path (`users` for `/users`). */
  name: string
  singular: string
  title: string
  /** One sentence for the home page. */
  summary: string
  /**
   * The fields as a JSON Schema, in the order in which they are shown; the first names the record.
   * `title` is the label. A `writeOnly` string is a password: stored as a hash, never shown.
   * `description` replaces the hint that is made from the limits.
   */
  schema: ResourceSchema
  /** The longest text in UTF-8, by field: JSON Schema counts characters only. */
  maxBytes?: Readonly<Record<string, number>>
  /** The fields that are fast to filter and sort by. */
  indexed?: readonly string[]
  /** Creates an illustration of the records on a page, such as a map. */
  createFigure?: () => Figure
}

/** An illustration of records, which are added one by one. */
export interface Figure {
  add: (record: StoredRecord, link: RecordLink) => void
  /** Empty when there is nothing to show. */
  toHtml: () => Html
}

export interface RecordLink {
  label: string
  href: string
}

export interface ResourceSchema {
  type: 'object'
  required: readonly string[]
  /** The names are any text but the empty one and `_id`, `createdAt` and `updatedAt`. */
  properties: Readonly<Record<string, FieldSchema>>
  dependentRequired?: Readonly<Record<string, readonly string[]>>
}

const jsonTypes = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'] as const
export type JsonType = (typeof jsonTypes)[number]

/** A JSON Schema, as far as forms, filters and messages need it; without `type` any JSON is valid. */
export interface FieldSchema {
  type?: JsonType | readonly JsonType[]
  enum?: readonly (string | number | boolean | null)[]
  anyOf?: readonly FieldSchema[]
  format?: 'date' | 'date-time'
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  items?: FieldSchema
  minItems?: number
  maxItems?: number
  properties?: Readonly<Record<string, FieldSchema>>
  required?: readonly string[]
  additionalProperties?: boolean | FieldSchema
  title?: string
  description?: string
  writeOnly?: boolean
  examples?: readonly unknown[]
}

export interface Field {
  name: string
  label: string
  kind: Kind
  isRequired: boolean
  isNullable: boolean
  schema: FieldSchema
  /** The id of its input on a page. */
  inputId: string
  /** Its name in a form, and in any other body that cannot carry `name` itself. */
  inputName: string
}

/** How a field is edited and shown; `json` is a list, an object, or of several types. */
export type Kind =
  | 'text'
  | 'long text'
  | 'password'
  | 'number'
  | 'boolean'
  | 'choice'
  | 'date'
  | 'date-time'
  | 'json'

/** A definition with what is derived from it once. */
export interface Resource extends ResourceDefinition {
  /** `/users` */
  path: string
  fields: readonly Field[]
  validator: () => Validator
}

/** What the service sets on every record. */
export const ownFields = ['_id', 'createdAt', 'updatedAt'] as const

export function defineResource(definition: ResourceDefinition): Resource {
  const { name, schema } = definition
  const fields = Object.entries(schema.properties).map(([field, fieldSchema], index) => {
    if (['', ...ownFields].includes(field))
      throw new Error(`${name}: invalid field name "${field}"`)
    return {
      name: field,
      label: fieldSchema.title ?? field,
      kind: toKind(fieldSchema),
      isRequired: schema.required.includes(field),
      isNullable: toTypes(fieldSchema).includes('null'),
      schema: fieldSchema,
      inputId: /^[a-z]\w*$/i.test(field) ? field : `field-${String(index)}`,
      inputName: toInputName(field),
    }
  })
  return { ...definition, path: `/${name}`, fields, validator: compileLater(schema) }
}

/** Brackets nest in a form, and bodies lose `__proto__` and the names that stand for headers. */
function toInputName(name: string): string {
  if (name === '__proto__' || formHeaderNames.some((known) => known === name)) {
    return `%5F${name.slice(1)}`
  }
  return name.replace(/[%[\]]/g, encodeURIComponent)
}

/** The types that a value may have. */
export function toTypes({ type, enum: choices, anyOf }: FieldSchema): readonly JsonType[] {
  if (type !== undefined) return [type].flat()
  if (choices) return choices.map(typeOfChoice)
  return anyOf?.flatMap(toTypes) ?? jsonTypes
}

function typeOfChoice(choice: string | number | boolean | null): JsonType {
  if (choice === null) return 'null'
  if (typeof choice === 'string') return 'string'
  return typeof choice === 'number' ? 'number' : 'boolean'
}

function toKind(schema: FieldSchema): Kind {
  if (schema.enum) return 'choice'
  const [type, ...others] = toTypes(schema).filter((each) => each !== 'null')
  if (others.length > 0) return 'json'
  if (type === 'string') return toTextKind(schema)
  if (type === 'integer' || type === 'number') return 'number'
  return type === 'boolean' ? 'boolean' : 'json'
}

function toTextKind({ writeOnly, format, maxLength = 0 }: FieldSchema): Kind {
  if (writeOnly === true) return 'password'
  return format ?? (maxLength > 200 ? 'long text' : 'text')
}
