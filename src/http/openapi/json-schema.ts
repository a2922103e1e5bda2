export const jsonTypes = [
  'string',
  'number',
  'integer',
  'boolean',
  'array',
  'object',
  'null',
] as const
export type JsonType = (typeof jsonTypes)[number]

type Limit = `${'min' | 'max'}${'imum' | 'Length' | 'Items'}`

export type FieldSchemas = Readonly<Record<string, FieldSchema>>

/** A JSON Schema, as far as forms, filters and messages need it; without `type` any JSON is valid. */
export interface FieldSchema extends Partial<Record<Limit, number>> {
  type?: JsonType | readonly JsonType[]
  enum?: readonly (string | number | boolean | null)[]
  const?: string | number | boolean | null
  anyOf?: readonly FieldSchema[]
  oneOf?: readonly FieldSchema[]
  allOf?: readonly FieldSchema[]
  not?: unknown
  format?: string
  pattern?: string
  contentMediaType?: string
  items?: FieldSchema
  properties?: FieldSchemas
  required?: readonly string[]
  additionalProperties?: boolean | FieldSchema
  title?: string
  description?: string
  /** A password: stored as a hash, never shown. */
  writeOnly?: boolean
  /** Set by the service or by the loaded data, and not by a request. */
  readOnly?: boolean
  default?: unknown
  examples?: readonly unknown[]
}

/** What a schema describes: here an optional member may be undefined too, which JSON leaves out. */
export type Loose<Value> = Value extends readonly unknown[]
  ? { readonly [Index in keyof Value]: Loose<Value[Index]> }
  : {
      [Name in keyof Value]:
        Loose<Value[Name]> | (object extends Pick<Value, Name> ? undefined : never)
    }

export const formatKinds = ['date', 'date-time', 'email', 'uri'] as const
type TextKind = 'password' | 'long text' | 'text' | (typeof formatKinds)[number]
/** How a field is edited and shown; `texts` is a list of texts, and `json` another list, an object, or of several types. */
export type Kind = TextKind | 'choice' | 'number' | 'boolean' | 'texts' | 'json'

export function toTypes({ type, enum: choices, anyOf }: FieldSchema): readonly string[] {
  if (type !== undefined) return [type].flat()
  if (choices) return choices.map((choice) => (choice === null ? 'null' : typeof choice))
  return anyOf?.flatMap(toTypes) ?? jsonTypes
}

export function toPlain(schema: FieldSchema): FieldSchema {
  const { allOf = [], anyOf = [], oneOf = [], const: only, ...own } = schema
  const isFitting = ({ type, not }: FieldSchema) => type !== 'null' && not === undefined
  const chosen = [anyOf, oneOf].flatMap((list) => list.find(isFitting) ?? list[0] ?? [])
  const known = only === undefined ? own : { ...own, enum: [only] }
  return [...allOf, ...chosen].map(toPlain).reduce(
    ({ properties, required = [], ...one }, other) => ({
      ...one,
      ...other,
      ...((properties ?? other.properties) && {
        properties: { ...properties, ...other.properties },
      }),
      required: [...required, ...(other.required ?? [])],
    }),
    known,
  )
}

export function toSampleType(schema: FieldSchema): string {
  const types = toTypes(schema).filter((type) => type !== 'null')
  const implied = schema.properties ? 'object' : schema.items && 'array'
  return types.find((type) => type === implied) ?? types[0] ?? 'null'
}

export function hasScalarType(types: readonly string[]): boolean {
  return types.some((type) => !['array', 'object', 'null'].includes(type))
}

export function toJsonType(value: unknown): JsonType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return jsonTypes.find((type) => typeof value === type) ?? 'object'
}

/** An input of a browser rejects other choices and formats, which only a rule may do. */
export function toFieldKind(schema: FieldSchema, rule: FieldSchema): Kind {
  if (rule.enum) return 'choice'
  const [type, ...others] = toTypes(schema).filter((each) => each !== 'null')
  if (others.length > 0) return 'json'
  if (type === 'string') return toTextKind(schema, rule)
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'boolean') return 'boolean'
  const isOfTexts = toTypes(schema.items ?? {}).every((member) => member === 'string')
  return type === 'array' && isOfTexts ? 'texts' : 'json'
}

function toTextKind(schema: FieldSchema, { format }: FieldSchema): Kind {
  const { writeOnly, maxLength = 0, format: shown } = schema
  if (writeOnly === true) return 'password'
  // The picker of a date offers dates only; the form shows another value as text.
  const known = formatKinds.find((kind) => kind === (/^date/.test(kind) ? shown : format))
  return known ?? (maxLength > 200 ? 'long text' : 'text')
}

export function isSlow(schema: object): boolean {
  return /"(pattern|patternProperties|uniqueItems)":/.test(JSON.stringify(schema))
}
