import { isObject } from '../config/is-object.ts'
import { findNearest } from '../config/find-nearest.ts'
import { openFormats } from '../http/body/json-schema.ts'
import { escapePointer } from '../http/body/patch.ts'
import { toMessage } from '../http/body/schema-problems.ts'
import type { FieldSchema } from '../http/openapi/json-schema.ts'
import type { Document } from '../stores/records/records.ts'
import {
  keywords,
  oneSchema,
  schemasInside,
  validate,
  type GivenFields,
} from './schema-keywords.ts'

/** Reports a problem of a data file; the reason completes the path: `must be text`. */
export type Report = (path: string, reason: string) => void

/** The schema of a resource, as far as forms and routes use it; the validator uses all of it. */
export type GivenSchema = Document &
  Pick<FieldSchema, 'title' | 'description' | 'required'> & { properties?: GivenFields }

export function parseSchemas(value: unknown, report: Report): ReadonlyMap<string, GivenSchema> {
  if (!isObject(value)) {
    report('/', 'must be an object with a JSON Schema for each resource')
    return new Map()
  }
  const entries = Object.entries(value).map(([name, schema]): [string, GivenSchema] => {
    const schemas = [...walkSchemas(schema, '')]
    const invalid = [...findInvalid(schema), ...schemas.flatMap(findBadPattern)]
    const others = [findUnknownKeywords, findMisplaced, findUnknownFormat]
    const problems = [...invalid, ...others.flatMap((find) => schemas.flatMap(find))]
    for (const [path, reason] of problems) report(`/${name}${path}`, reason)
    const readable = withoutFlags(schema)
    if (!isObject(readable)) return [name, {}]
    return [name, invalid.length === 0 ? readable : keepValid(readable, invalid)]
  })
  return new Map(entries)
}

/** Forms and routes read these members of a schema, and expect objects there. */
function withoutFlags(schema: unknown): unknown {
  if (typeof schema === 'boolean') return schema ? {} : { not: {} }
  if (!isObject(schema)) return schema
  const { items, properties, additionalProperties: others } = schema
  const lists = ['allOf', 'anyOf', 'oneOf'].filter((name) => Array.isArray(schema[name]))
  return {
    ...schema,
    ...(items !== undefined && { items: withoutFlags(items) }),
    ...(isObject(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, each]) => [name, withoutFlags(each)]),
      ),
    }),
    ...Object.fromEntries(lists.map((name) => [name, [schema[name]].flat().map(withoutFlags)])),
    ...(isObject(others) && { additionalProperties: withoutFlags(others) }),
  }
}

type SchemaProblem = readonly [path: string, reason: string]

const isWithin = (inner: string, path: string) => inner === path || inner.startsWith(`${path}/`)

function findInvalid(schema: unknown): SchemaProblem[] {
  const [, errors] = validate().Errors(schema)
  // An error of a member is one of each schema around it too, after its own.
  const isFirst = ({ instancePath: path }: (typeof errors)[number], index: number) =>
    errors.findIndex((other) => isWithin(other.instancePath, path)) === index
  return errors.filter(isFirst).map((error) => [error.instancePath, toMessage(error)])
}

/** The fields that the compiler can read, so that their data and references are checked too. */
function keepValid({ properties }: Document, invalid: readonly SchemaProblem[]): Document {
  const fields = Object.entries(isObject(properties) ? properties : {})
  const isValid = (name: string) =>
    !invalid.some(([path]) => isWithin(path, toPath('/properties', name)))
  return { properties: Object.fromEntries(fields.filter(([name]) => isValid(name))) }
}

const toPath = (path: string, name: string) => `${path}/${escapePointer(name)}`

type PlacedSchema = readonly [path: string, schema: Document]

function* walkSchemas(value: unknown, path: string): Generator<PlacedSchema> {
  if (!isObject(value)) return
  yield [path, value]
  for (const [keyword, member] of Object.entries(value)) {
    if (oneSchema.includes(keyword)) yield* walkSchemas(member, `${path}/${keyword}`)
    else if (schemasInside.includes(keyword) && (isObject(member) || Array.isArray(member)))
      for (const [name, inner] of Object.entries(member))
        yield* walkSchemas(inner, toPath(`${path}/${keyword}`, name))
  }
}

/** The compiler would throw for an invalid pattern at the first request. */
function findBadPattern([
  path,
  { pattern = '', patternProperties = {} },
]: PlacedSchema): SchemaProblem[] {
  const patterns = [[`${path}/pattern`, String(pattern)]]
  if (isObject(patternProperties))
    for (const name of Object.keys(patternProperties))
      patterns.push([toPath(`${path}/patternProperties`, name), name])
  return patterns.flatMap(([place = '', source = '']): SchemaProblem[] =>
    isPattern(source) ? [] : [[place, 'is not a regular expression']],
  )
}

function isPattern(source: string): boolean {
  try {
    RegExp(source, 'u')
    return true
  } catch {
    return false
  }
}

function findUnknownKeywords([path, schema]: PlacedSchema): SchemaProblem[] {
  return Object.keys(schema).flatMap((name): SchemaProblem[] => {
    if (keywords.includes(name)) return []
    const nearest = findNearest(name, keywords)
    // Other names with x- are annotations.
    if (name.startsWith('x-') && !nearest?.startsWith('x-')) return []
    const hint = nearest === undefined ? '' : `: the nearest is ${nearest}`
    return [[toPath(path, name), `is an unknown keyword${hint}`]]
  })
}

/** Below a field of the record, these keywords have no effect. */
function findMisplaced([path, schema]: PlacedSchema): SchemaProblem[] {
  if (/^\/properties\/[^/]*$/.test(path)) return []
  return ['x-references', 'x-unique']
    .filter((name) => Object.hasOwn(schema, name))
    .map((name) => [`${path}/${name}`, 'is allowed only on a field of the record itself'])
}

/** An unknown format would accept any text. Formats of numbers, such as int32, are annotations. */
function findUnknownFormat([path, { type = 'string', format }]: PlacedSchema): SchemaProblem[] {
  if (typeof format !== 'string' || ![type].flat().includes('string')) return []
  const formats = openFormats()
  if (formats.Has(format)) return []
  const known = formats.Entries().map(([name]) => name)
  const nearest = findNearest(format, known)
  const hint = nearest === undefined ? '' : `: the nearest is ${nearest}`
  return [[`${path}/format`, `is an unknown format${hint}. Formats: ${known.join(', ')}`]]
}
