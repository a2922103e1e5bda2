import Type from 'typebox'
import { Compile, type Validator } from 'typebox/compile'

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
  schema: Type.TObject<Record<string, FieldSchema>>
  /** The fields by which lists are found and ordered fast, however many records there are. */
  indexed?: readonly string[]
}

export type FieldSchema = Type.TString | Type.TNumber | Type.TRefine<Type.TString>

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
  validator: Validator
}

export function defineResource(definition: ResourceDefinition): Resource {
  const { name, schema } = definition
  return {
    ...definition,
    path: `/${name}`,
    fields: Object.keys(schema.properties).map((field) => toField(schema, field)),
    validator: Compile(schema),
  }
}

interface Annotations extends Pick<
  Field,
  'minimum' | 'maximum' | 'minLength' | 'maxLength' | 'description'
> {
  type?: string
  title?: string
  writeOnly?: boolean
}

function toField(schema: ResourceDefinition['schema'], name: string): Field {
  const { title, ...annotations }: Annotations = schema.properties[name] ?? {}
  const { minimum, maximum, minLength, maxLength, description } = annotations
  return {
    name,
    label: title ?? name,
    kind: toKind(annotations),
    isRequired: !Type.IsOptional(schema.properties[name]),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(minLength !== undefined && { minLength }),
    ...(maxLength !== undefined && { maxLength }),
    ...(description !== undefined && { description }),
  }
}

function toKind({ type, writeOnly, maxLength = 0 }: Annotations): Field['kind'] {
  if (type === 'number') return 'number'
  if (writeOnly === true) return 'password'
  return maxLength > 200 ? 'long text' : 'text'
}
