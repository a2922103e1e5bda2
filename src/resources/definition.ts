import type { Html } from '../site/html.ts'
import type { StoredRecord } from '../stores/records/records.ts'
import type { Validator } from 'typebox/schema'
import { compileLater } from '../http/body/json-schema.ts'

/**
 * Everything that makes one resource different from another. Its seven routes, forms,
 * representations, storage and documentation follow.
 */
export interface ResourceDefinition {
  /** Plural: the name of the room, of the folder, and of the path (`users` for `/users`). */
  name: string
  /** One of them: `user`. */
  singular: string
  title: string
  /** One sentence for the home page. */
  summary: string
  /**
   * The fields as a JSON Schema, in the order in which they are shown; the first says which record
   * this is. `title` is the label. A `writeOnly` string is a password: kept as a hash, never shown.
   * A string of over 200 characters gets a text area. `description` says what to type where the
   * limits do not tell. `dependentRequired` is honoured.
   */
  schema: ResourceSchema
  /** Of a text in UTF-8, by field: JSON Schema limits characters alone. */
  maxBytes?: Readonly<Record<string, number>>
  /** The fields by which lists are found and ordered fast, however many records there are. */
  indexed?: readonly string[]
  /** Makes an illustration of the records of a page, such as a map. */
  createFigure?: () => Figure
}

/** An illustration of records, which are added one by one. */
export interface Figure {
  add: (record: StoredRecord, link: RecordLink) => void
  /** Empty when there is nothing to show. */
  toHtml: () => Html
}

/** The name of a record and its URL. */
export interface RecordLink {
  label: string
  href: string
}

export interface ResourceSchema {
  type: 'object'
  required: readonly string[]
  properties: Readonly<Record<string, FieldSchema>>
  dependentRequired?: Readonly<Record<string, readonly string[]>>
}

type Limits = Pick<Field, 'minimum' | 'maximum' | 'minLength' | 'maxLength' | 'description'>

export interface FieldSchema extends Limits {
  type: 'string' | 'number'
  title?: string
  writeOnly?: boolean
  examples?: readonly (string | number)[]
}

export interface Field {
  name: string
  label: string
  kind: 'text' | 'long text' | 'number' | 'password'
  isRequired: boolean
  /** The range of a number, as in the JSON Schema. */
  minimum?: number
  maximum?: number
  /** In characters. */
  minLength?: number
  maxLength?: number
  description?: string
}

/** A definition with what is derived from it once. */
export interface Resource extends ResourceDefinition {
  /** `/users` */
  path: string
  fields: readonly Field[]
  validator: () => Validator
}

export function defineResource(definition: ResourceDefinition): Resource {
  const { name, schema } = definition
  return {
    ...definition,
    path: `/${name}`,
    fields: Object.keys(schema.properties).map((field) => toField(schema, field)),
    validator: compileLater(schema),
  }
}

function toField({ properties, required }: ResourceSchema, name: string): Field {
  const schema = properties[name] ?? { type: 'string' }
  const { title, minimum, maximum, minLength, maxLength, description } = schema
  return {
    name,
    label: title ?? name,
    kind: toKind(schema),
    isRequired: required.includes(name),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(minLength !== undefined && { minLength }),
    ...(maxLength !== undefined && { maxLength }),
    ...(description !== undefined && { description }),
  }
}

function toKind({ type, writeOnly, maxLength = 0 }: FieldSchema): Field['kind'] {
  if (type === 'number') return 'number'
  if (writeOnly === true) return 'password'
  return maxLength > 200 ? 'long text' : 'text'
}
