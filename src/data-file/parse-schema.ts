import { findNearest } from '../config/find-nearest.ts'
import { compileLater } from '../http/body/json-schema.ts'
import { escapePointer } from '../http/body/patch.ts'
import { toMessage } from '../http/body/schema-problems.ts'
import { jsonTypes, type FieldSchema, type ResourceReference } from '../resources/definition.ts'
import { isDocument, type Document } from '../stores/records/records.ts'
import { openFormats } from './infer-schema.ts'

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

const toWords = (text: string) => text.trim().split(/\s+/)
/** Keywords whose value is one schema. */
const oneSchema = new Set(
  toWords(`additionalProperties contains contentSchema else if items not propertyNames
    then unevaluatedItems unevaluatedProperties`),
)
/** Keywords whose value has several schemas. */
const schemasInside = new Set(
  toWords(
    'allOf anyOf oneOf prefixItems dependencies dependentSchemas patternProperties properties',
  ),
)
const keywords = [
  ...toWords(`type properties required items enum const title description default examples format
    pattern minimum maximum minLength maxLength minItems maxItems uniqueItems readOnly writeOnly
    exclusiveMinimum exclusiveMaximum multipleOf minProperties maxProperties minContains maxContains
    dependentRequired deprecated contentEncoding contentMediaType x-unique x-references $comment
    $schema $id $anchor $dynamicAnchor $vocabulary $ref $defs`),
  ...oneSchema,
  ...schemasInside,
]

const resourceSchema = { ...fieldSchema, $defs: { field: fieldSchema } }
const validate = compileLater(resourceSchema)

export function parseSchemas(value: unknown, report: Report): ReadonlyMap<string, GivenSchema> {
  if (!isDocument(value)) {
    report('/', 'must be an object with a JSON Schema for each resource')
    return new Map()
  }
  const entries = Object.entries(value).map(([name, schema]): [string, GivenSchema] => {
    const schemas = [...walkSchemas(schema, '')]
    const invalid = [...findInvalid(schema), ...schemas.flatMap(findBadPattern)]
    const others = [findUnknownKeywords, findMisplaced, findUnknownFormat]
    const problems = [...invalid, ...others.flatMap((find) => schemas.flatMap(find))]
    for (const [path, reason] of problems) report(`/${name}${path}`, reason)
    if (!isDocument(schema)) return [name, {}]
    return [name, invalid.length === 0 ? schema : keepValid(schema, invalid)]
  })
  return new Map(entries)
}

type Problem = readonly [path: string, reason: string]

const isWithin = (inner: string, path: string) => inner === path || inner.startsWith(`${path}/`)

function findInvalid(schema: unknown): Problem[] {
  const [, errors] = validate().Errors(schema)
  // An error of a member is one of each schema around it too, after its own.
  const isFirst = ({ instancePath: path }: (typeof errors)[number], index: number) =>
    errors.findIndex((other) => isWithin(other.instancePath, path)) === index
  return errors.filter(isFirst).map((error) => [error.instancePath, toMessage(error)])
}

/** The fields that the compiler can read, so that their data and references are checked too. */
function keepValid({ properties }: Document, invalid: readonly Problem[]): Document {
  const fields = Object.entries(isDocument(properties) ? properties : {})
  const isValid = (name: string) =>
    !invalid.some(([path]) => isWithin(path, toPath('/properties', name)))
  return { properties: Object.fromEntries(fields.filter(([name]) => isValid(name))) }
}

const toPath = (path: string, name: string) => `${path}/${escapePointer(name)}`

type PlacedSchema = readonly [path: string, schema: Document]

function* walkSchemas(value: unknown, path: string): Generator<PlacedSchema> {
  if (!isDocument(value)) return
  yield [path, value]
  for (const [keyword, member] of Object.entries(value)) {
    if (oneSchema.has(keyword)) yield* walkSchemas(member, `${path}/${keyword}`)
    else if (schemasInside.has(keyword) && (isDocument(member) || Array.isArray(member)))
      for (const [name, inner] of Object.entries(member))
        yield* walkSchemas(inner, toPath(`${path}/${keyword}`, name))
  }
}

/** The compiler would throw for an invalid pattern at the first request. */
function findBadPattern([path, { pattern = '' }]: PlacedSchema): Problem[] {
  try {
    RegExp(String(pattern), 'u')
    return []
  } catch {
    return [[`${path}/pattern`, 'is not a regular expression']]
  }
}

function findUnknownKeywords([path, schema]: PlacedSchema): Problem[] {
  return Object.keys(schema).flatMap((name): Problem[] => {
    if (keywords.includes(name)) return []
    const nearest = findNearest(name, keywords)
    // Other names with x- are annotations.
    if (name.startsWith('x-') && !nearest?.startsWith('x-')) return []
    const hint = nearest === undefined ? '' : `: the nearest is ${nearest}`
    return [[toPath(path, name), `is an unknown keyword${hint}`]]
  })
}

/** Below a field of the record, these keywords have no effect. */
function findMisplaced([path, schema]: PlacedSchema): Problem[] {
  if (/^\/properties\/[^/]*$/.test(path)) return []
  return ['x-references', 'x-unique']
    .filter((name) => Object.hasOwn(schema, name))
    .map((name) => [`${path}/${name}`, 'is allowed only on a field of the record itself'])
}

/** An unknown format would accept any text. Formats of numbers, such as int32, are annotations. */
function findUnknownFormat([path, { type = 'string', format }]: PlacedSchema): Problem[] {
  if (typeof format !== 'string' || ![type].flat().includes('string')) return []
  const formats = openFormats()
  if (formats.Has(format)) return []
  const known = formats.Entries().map(([name]) => name)
  const nearest = findNearest(format, known)
  const hint = nearest === undefined ? '' : `: the nearest is ${nearest}`
  return [[`${path}/format`, `is an unknown format${hint}. Formats: ${known.join(', ')}`]]
}
