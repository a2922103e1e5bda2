import { isObject } from '../config/is-object.ts'
import type { Config } from '../config/config.ts'
import { findNearest } from '../config/find-nearest.ts'
import { maxFields } from '../config/limits.ts'
import { HttpError } from '../http/errors/http-error.ts'
import { typeBySuffix } from '../http/negotiation/negotiate.ts'
import { createId } from '../stores/create-id.ts'
import { isRoutableId, singularId } from '../resources/context.ts'
import { defineResource, type ResourceDefinition } from '../resources/definition.ts'
import { findValue } from '../resources/field-values.ts'
import { assertStorable, findAllProblems, findUnknownFields } from '../resources/write/input.ts'
import type { Document } from '../stores/records/records.ts'
import { inferFields, type Fields } from './infer-schema.ts'
import type { GivenSchema, Report } from './parse-schema.ts'
import { toDefinition, type InferredResource } from './to-definition.ts'

export interface DataResource {
  inferred: InferredResource
  definition: ResourceDefinition
  records: readonly { id: string; document: Document }[]
  /** One for each id that the file has and the service does not. */
  notices: readonly string[]
}

interface SchemaOptions {
  foreignKeySuffix: string
  inferredFrom: string
  schemas: ReadonlyMap<string, GivenSchema>
  report: Report
}

interface DataOptions extends SchemaOptions {
  idField: string
  jsonServer?: Config['jsonServer']
}

/** Each has routes with patterns, which are compared with those of the others at the start. */
const maxResources = 200

/** First segments of the paths of the service itself, now or later. */
const reservedNames =
  /^(_vitrine|assets|b|db|demos|docs|favicon\.ico|health|inspector(\.har)?|learn|openapi\.json|problems|s)$/

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

/** A schema of a misspelt name would check nothing. */
function reportMisspelt(names: readonly string[], { schemas, report }: SchemaOptions) {
  const others = names.filter((name) => !schemas.has(name))
  for (const name of schemas.keys()) {
    const nearest = names.includes(name) ? undefined : findNearest(name, others)
    if (nearest !== undefined)
      report('/', `has no resource ${name}, which the schema names; did you mean ${nearest}?`)
  }
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
function toValueFields({ properties: { value } }: Fields): Fields {
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

/** Whether a record without an id gets the next number, and not a UUID: unless all ids are text. */
function isNumbered(ids: readonly unknown[]): boolean {
  return !ids.some((id) => typeof id === 'string') || ids.some((id) => typeof id === 'number')
}

/** `posts.json` is the list `posts` as JSON. */
function findSuffixProblem(name: string, names: readonly string[]): string | undefined {
  const [, list = '', suffix = ''] = /^(.+)\.([^.]+)$/.exec(name) ?? []
  const isTaken = names.includes(list) && Object.hasOwn(typeBySuffix, suffix)
  return isTaken ? `is a path of the resource ${list}: give it another name` : undefined
}

/** An id that no record can have, or that an earlier one has, is replaced; in a dialect it stays. */
function toRecords(
  { idField, jsonServer }: DefineContext,
  name: string,
  documents: readonly Document[],
) {
  const create = createIds(documents.map((document) => document[idField]))
  const known = new Map<string, number>()
  const notices: string[] = []
  const records = documents.map((document, index) => {
    const { [idField]: id } = document
    const problem = findIdProblem(id, jsonServer !== undefined)
    const twin = problem === undefined ? known.get(String(id)) : undefined
    if (problem === undefined && twin === undefined) {
      known.set(String(id), index)
      return { id: String(id), document }
    }
    // json-server 1 gives an id to a record without one.
    const isKept = jsonServer === '0.17' || (jsonServer === '1' && id !== undefined)
    const next = isKept ? createId() : create()
    const outcome = isKept ? 'it is only in the list' : `it gets the id ${String(next)}`
    const reason = problem
      ? `: its ${idField} ${problem}`
      : ` has the id ${String(id)} of ${name}[${String(twin)}]`
    if (id !== undefined) notices.push(`${name}[${String(index)}]${reason}: ${outcome}`)
    return { id: String(next), document: isKept ? document : { ...document, [idField]: next } }
  })
  return { records, notices }
}

function createIds(ids: readonly unknown[]): () => string | number {
  if (!isNumbered(ids)) return createId
  const given = new Set(ids.map(String))
  let last = ids.filter(isWhole).reduce((largest, id) => Math.max(largest, id), 0)
  return () => {
    do last += 1
    while (given.has(String(last)) && Number.isSafeInteger(last))
    return last
  }
}

function isWhole(id: unknown): id is number {
  return Number.isSafeInteger(id)
}

function isMissing(id: unknown): boolean {
  return id === undefined || id === null
}

function findIdProblem(id: unknown, isDialect: boolean): string | undefined {
  if (isWhole(id) || (isDialect && typeof id === 'number')) return undefined
  if (Number.isInteger(id))
    return `is too large: a number is at most ${String(Number.MAX_SAFE_INTEGER)}; write larger ids as text`
  if (typeof id !== 'string') return 'must be text or a whole number'
  if (isRoutableId(id)) return undefined
  return 'cannot be part of a path: an id has 1 to 200 characters, none of them a control character, and is not new, post, events, . or .., and does not end in .json, .html, .txt, .csv or .ndjson'
}

/** Inferred schemas fit the data; those of a user may not. */
function reportRecords({ definition, records }: DataResource, { schemas, report }: SchemaOptions) {
  const schema = schemas.get(definition.name)
  const resource = defineResource(definition)
  const seen = new Map(resource.unique.map((field) => [field, new Set<string>()]))
  const documents = records.map(({ document }) => document)
  const problems = schema === undefined ? [] : findAllProblems(resource, documents)
  for (const [index, document] of documents.entries()) {
    const path = `/${definition.name}${resource.isSingular ? '' : `/${String(index)}`}`
    const unstorable = findUnstorable(document)
    if (unstorable !== undefined) report(path, unstorable)
    if (schema === undefined) continue
    const isClosed = schema.additionalProperties === false
    for (const field of isClosed ? findUnknownFields(resource, document) : [])
      report(`${path}/${field}`, 'is not a field of the schema')
    for (const { field, inside = [], message } of problems[index] ?? [])
      report([path, field, ...inside].join('/'), message)
    for (const [field, values] of seen) {
      const given = findValue(document, field)
      if (isMissing(given)) continue
      const value = JSON.stringify(given)
      if (values.has(value)) report(`${path}/${field}`, 'is the value of another record')
      values.add(value)
    }
  }
}

function findUnstorable(document: Document): string | undefined {
  try {
    assertStorable(document)
    return undefined
  } catch (error) {
    if (error instanceof HttpError) return error.message
    throw error
  }
}

export function findReferences(resources: readonly DataResource[]) {
  const lists = resources.filter(({ definition }) => !definition.isSingular)
  const ids = new Map(
    lists.map(({ definition, records }) => [definition.name, new Set(records.map(({ id }) => id))]),
  )
  return resources.flatMap(({ definition: { name, references = [] }, records }) =>
    references.map(({ field, resource, onDelete }) => {
      const known = ids.get(resource)
      const places = records.flatMap(({ document: { [field]: value } }, index) =>
        isMissing(value) || known?.has(String(value)) !== false
          ? []
          : `/${name}/${String(index)}/${field}`,
      )
      return { name, field, resource, onDelete, isToList: known !== undefined, places }
    }),
  )
}

function reportDangling(
  resources: readonly DataResource[],
  { schemas, names, report }: DefineContext,
) {
  const isDefined = (name: string) => resources.some(({ definition }) => definition.name === name)
  for (const { name, field, resource, onDelete, isToList, places } of findReferences(resources)) {
    const schema = schemas.get(name)
    if (schema?.properties?.[field]?.['x-references'] === undefined) continue
    if (onDelete === 'set null' && schema.required?.includes(field))
      report(`/${name}`, `${field} is required and cannot be "set null"`)
    if (!isToList && (isDefined(resource) || !names.includes(resource)))
      report(`/${name}`, `${field} refers to ${resource}, which is not a list in the file`)
    for (const place of places) report(place, `is not an id of ${resource}`)
  }
}
