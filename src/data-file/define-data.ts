import { isObject } from '../config/is-object.ts'
import { findNearest } from '../config/find-nearest.ts'
import { maxFields } from '../config/limits.ts'
import { typeBySuffix } from '../http/negotiation/negotiate.ts'
import { singularId } from '../resources/context.ts'
import type { Document } from '../stores/records/records.ts'
import { inferFields, type InferredFields } from './infer-schema.ts'
import type { GivenSchema } from './parse-schema.ts'
import { isNumbered, toRecords, type IdOptions } from './record-ids.ts'
import { reportDangling, reportMisspelt, reportRecords } from './report-problems.ts'
import type { DataResource, SchemaOptions } from './report-problems.ts'
import { toDefinition, type InferredResource } from './to-definition.ts'

type DataOptions = SchemaOptions & IdOptions

/** Each has routes with patterns, which are compared with those of the others at the start. */
const maxResources = 200

/** First segments of the paths of the service itself, now or later. */
const reservedNames =
  /^(_vitrine|assets|b|db|demos|docs|favicon\.ico|health|inspector(\.har)?|learn|openapi\.json|problems|robots\.txt|s)$/

export function findNameProblem(name: string): string | undefined {
  if (reservedNames.test(name)) return 'is a path of the service: give it another name'
  // RFC 3986 §6.2.2.3: clients remove the segments `.` and `..`. The router cannot tell the others apart.
  if (/^(?!\.{1,2}$)[^/*?#\p{Cc}]{1,200}$/u.test(name) && name.isWellFormed()) return undefined
  return 'cannot be the segment of a path: use 1 to 200 characters, without / * ? #, and not . or .. alone'
}

export function defineData(data: Document, options: DataOptions): DataResource[] {
  const { schemas, report } = options
  const known = Object.keys(data)
  const names = [...[...schemas.keys()].filter((name) => !known.includes(name)), ...known]
  if (names.length > maxResources) {
    report('/', `has more than ${String(maxResources)} resources`)
    return []
  }
  reportMisspelt(known, options)
  const context = { ...options, names }
  const toValue = (name: string) => (Object.hasOwn(data, name) ? data[name] : [])
  const resources = names.flatMap((name) => defineOne(context, name, toValue(name)))
  reportDangling(resources, context)
  return resources
}

export function redefineData(stored: readonly InferredResource[], options: SchemaOptions) {
  const known = stored.map(({ name }) => name)
  const added = [...options.schemas.keys()].filter((name) => !known.includes(name))
  reportMisspelt(known, options)
  const idField = stored.find(({ isSingular }) => !isSingular)?.idField ?? 'id'
  const context = { ...options, idField, names: [...known, ...added] }
  const resources = [
    ...added.flatMap((name) => defineOne(context, name, [])),
    ...stored.map((inferred) => toResource(context, inferred, [])),
  ]
  reportDangling(resources, context)
  return resources.map(({ definition }) => definition)
}

type DefineContext = DataOptions & { names: readonly string[] }

function toResource(
  { schemas, report, ...context }: DefineContext,
  inferred: InferredResource,
  records: DataResource['records'],
): DataResource {
  const given = schemas.get(inferred.name)
  const schema = given && inferred.isValue ? toValueSchema(given) : given
  const fields = inferred.isValue ? toValueFields(inferred.fields) : inferred.fields
  const definition = toDefinition({ ...context, ...inferred, fields, schema })
  const known = [...definition.schema.required, inferred.idField]
  // No request could set the others.
  for (const field of schema?.required?.filter((name) => !known.includes(name)) ?? []) {
    const nearest = findNearest(field, Object.keys(definition.schema.properties))
    const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`
    report(`/${inferred.name}`, `${field} is required and is not a field${hint}`)
  }
  return { inferred, records, definition, notices: [] }
}

function toValueSchema(given: GivenSchema): GivenSchema {
  const { title } = given
  return {
    ...(title !== undefined && { title }),
    properties: { value: given },
    required: ['value'],
  }
}

/** A value of any type can replace one that has no schema. */
function toValueFields({ properties: { value } }: InferredFields): InferredFields {
  return { properties: { value: { examples: value?.examples ?? [] } } }
}

function defineOne(context: DefineContext, name: string, value: unknown): DataResource[] {
  const fail = (reason: string) => {
    context.report(`/${name.slice(0, 100)}`, reason)
    return []
  }
  const nameProblem = findNameProblem(name) ?? findSuffixProblem(name, context.names)
  if (nameProblem) return fail(nameProblem)
  const isList = Array.isArray(value) && value.every(isObject)
  const isValue = !isList && !isObject(value)
  const document = isObject(value) ? value : { value }
  const { records, notices } = isList
    ? toRecords(context, name, value)
    : { records: [{ id: singularId, document }], notices: [] }
  const documents = records.map((record) => record.document)
  const fields = inferFields(documents)
  if (!fields)
    return fail(`has more than ${String(maxFields)} fields: divide it into several resources`)
  const { idField } = context
  const hasNumericIds = isNumbered(documents.map((document) => document[idField]))
  const count = documents.length
  const kind = { isSingular: !isList, ...(isValue && { isValue }) }
  const inferred = { name, ...kind, idField, hasNumericIds, count, fields }
  const resource = { ...toResource(context, inferred, records), notices }
  if ('' in resource.definition.schema.properties) return fail('has a field without a name')
  reportRecords(resource, context)
  return [resource]
}

/** `posts.json` is the list `posts` as JSON. */
function findSuffixProblem(name: string, names: readonly string[]): string | undefined {
  const [, list = '', suffix = ''] = /^(.+)\.([^.]+)$/.exec(name) ?? []
  const isTaken = names.includes(list) && Object.hasOwn(typeBySuffix, suffix)
  return isTaken ? `is a path of the resource ${list}: give it another name` : undefined
}
