import { compileLater } from '../http/body/json-schema.ts'
import { jsonTypes, type FieldSchema, type ResourceReference } from '../resources/definition.ts'
import { isDocument, type Document } from '../stores/records/records.ts'

/** Reports a problem of a data file; the reason completes the path: `must be text`. */
export type Report = (path: string, reason: string) => void

const text = { type: 'string' }
const texts = { type: 'array', items: text }
const flag = { type: 'boolean' }
const count = { type: 'integer', minimum: 0 }
const onDelete = { enum: ['restrict', 'cascade', 'set null'] }

export interface GivenField extends FieldSchema {
  'x-references'?: string | (Pick<ResourceReference, 'resource'> & Partial<ResourceReference>)
  'x-unique'?: boolean
}

/** The schema of a resource, as far as forms and routes use it; the validator uses all of it. */
export interface GivenSchema extends Document {
  title?: string
  description?: string
  required?: readonly string[]
  properties?: Readonly<Record<string, GivenField>>
}

// The types of what the service reads. A reference between schemas would have no place in OpenAPI.
const fieldSchema = {
  type: 'object',
  properties: {
    type: {
      anyOf: [{ enum: jsonTypes }, { type: 'array', items: { enum: jsonTypes }, minItems: 1 }],
    },
    enum: { type: 'array', minItems: 1 },
    anyOf: { type: 'array', items: { $ref: '#/$defs/field' }, minItems: 1 },
    items: { $ref: '#/$defs/field' },
    properties: { type: 'object', additionalProperties: { $ref: '#/$defs/field' } },
    additionalProperties: { anyOf: [flag, { $ref: '#/$defs/field' }] },
    required: texts,
    title: text,
    description: text,
    format: text,
    pattern: text,
    minimum: { type: 'number' },
    maximum: { type: 'number' },
    minLength: count,
    maxLength: count,
    minItems: count,
    maxItems: count,
    readOnly: flag,
    writeOnly: flag,
    examples: { type: 'array' },
    'x-unique': flag,
    'x-references': {
      anyOf: [
        text,
        { type: 'object', required: ['resource'], properties: { resource: text, onDelete } },
      ],
    },
    $ref: false,
    $defs: false,
  },
}
const resourceSchema = { ...fieldSchema, $defs: { field: fieldSchema } }
const validate = compileLater(resourceSchema)

export function parseSchemas(
  value: unknown,
  report: Report,
): Readonly<Record<string, GivenSchema>> {
  if (!isDocument(value)) {
    report('/', 'must be an object with a JSON Schema for each resource')
    return {}
  }
  const entries = Object.entries(value).flatMap(([name, schema]): [string, GivenSchema][] => {
    const [, errors] = validate().Errors(schema)
    for (const { instancePath, message } of errors) report(`/${name}${instancePath}`, message)
    if (errors.length > 0 || !isDocument(schema)) return []
    reportBadPatterns(schema, `/${name}`, report)
    return [[name, schema]]
  })
  return Object.fromEntries(entries)
}

/** The compiler would throw for them at the first request. */
function reportBadPatterns(value: unknown, path: string, report: Report): void {
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    if (name !== 'pattern' || typeof member !== 'string')
      reportBadPatterns(member, `${path}/${name}`, report)
    else if (!isPattern(member)) report(`${path}/pattern`, 'is not a regular expression')
  }
}

function isPattern(text: string): boolean {
  try {
    RegExp(text, 'u')
    return true
  } catch {
    return false
  }
}
