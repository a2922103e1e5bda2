import { findNearest } from '../config/find-nearest.ts'
import { HttpError } from '../http/errors/http-error.ts'
import { createId } from '../idempotency/create-id.ts'
import { isRoutableId, singularId } from '../resources/context.ts'
import { defineResource, type ResourceDefinition } from '../resources/definition.ts'
import { findValue } from '../resources/field-values.ts'
import { assertStorable, findProblems, findUnknownFields } from '../resources/write/input.ts'
import { isDocument, type Document } from '../stores/records/records.ts'
import { inferFields, maxFields } from './infer-schema.ts'
import type { GivenSchema, Report } from './parse-schema.ts'
import { toDefinition, type InferredResource } from './to-definition.ts'

export interface DataResource {
  inferred: InferredResource
  definition: ResourceDefinition
  records: readonly { id: string; document: Document }[]
}

interface SchemaOptions {
  foreignKeySuffix: string
  /** The name of the data file, for messages. */
  inferredFrom: string
  schemas: ReadonlyMap<string, GivenSchema>
  report: Report
}

interface DataOptions extends SchemaOptions {
  idField: string
}

/** Each has routes with patterns, which are compared with those of the others at the start. */
const maxResources = 200

/** First segments of the paths of the service itself, now or later. */
const reservedNames = /^(assets|b|db|demos|docs|health|inspector|learn|problems|s)$/

export function findNameProblem(name: string): string | undefined {
  if (reservedNames.test(name)) return 'is a path of the service: give it another name'
  if (/^[a-z0-9][\w-]{0,63}$/i.test(name)) return undefined
  return 'cannot be a path: use 1 to 64 letters, digits, - and _, and start with a letter or digit'
}

/** The resources of a data file: those that only have a schema, then those with data. */
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

/** The resources of stored records, and those that only have a schema. */
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
  const schema = schemas.get(inferred.name)
  const definition = toDefinition({ ...context, ...inferred, schema })
  const known = [...definition.schema.required, inferred.idField]
  // No request could set the others.
  for (const field of schema?.required?.filter((name) => !known.includes(name)) ?? []) {
    const nearest = findNearest(field, Object.keys(definition.schema.properties))
    const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`
    report(`/${inferred.name}`, `${field} is required and is not a field${hint}`)
  }
  return { inferred, records, definition }
}

function defineOne(context: DefineContext, name: string, value: unknown): DataResource[] {
  const fail = (reason: string) => {
    context.report(`/${name.slice(0, 100)}`, reason)
    return []
  }
  const nameProblem = findNameProblem(name)
  if (nameProblem) return fail(nameProblem)
  const isSingular = isDocument(value)
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  const given = values.filter(isDocument)
  if (!isSingular && (!Array.isArray(value) || given.length < values.length))
    return fail('must be an array of objects, or an object')
  const records = isSingular
    ? [{ id: singularId, document: value }]
    : toRecords(context, name, given)
  const documents = records.map(({ document }) => document)
  const fields = inferFields(documents)
  if (!fields)
    return fail(`has more than ${String(maxFields)} fields: divide it into several resources`)
  const { idField } = context
  const hasNumericIds = isNumbered(documents.map((document) => document[idField]))
  const count = documents.length
  const inferred = { name, isSingular, idField, hasNumericIds, count, fields }
  const resource = toResource(context, inferred, records)
  if ('' in resource.definition.schema.properties) return fail('has a field without a name')
  reportRecords(resource, context)
  return [resource]
}

/** Whether a record without an id gets the next number, and not a UUID: unless all ids are text. */
function isNumbered(ids: readonly unknown[]): boolean {
  return !ids.some((id) => typeof id === 'string') || ids.some((id) => typeof id === 'number')
}

function toRecords(
  { idField, report }: DefineContext,
  name: string,
  documents: readonly Document[],
) {
  const ids = documents.map((document) => document[idField])
  const given = new Set(ids.map(String))
  let last = ids.reduce<number>((max, id) => (typeof id === 'number' && id > max ? id : max), 0)
  const known = new Map<string, number>()
  const createNext = () => {
    do last += 1
    while (given.has(String(last)) && Number.isSafeInteger(last))
    return last
  }
  const create = isNumbered(ids) ? createNext : createId
  return documents.map((found, index) => {
    const document = found[idField] === undefined ? { ...found, [idField]: create() } : found
    const id = String(document[idField])
    const twin = known.get(id)
    known.set(id, index)
    const isTwin = twin !== undefined && `is also the id of /${name}/${String(twin)}`
    const reason = findIdProblem(document[idField]) ?? isTwin
    if (reason) report(`/${name}/${String(index)}/${idField}`, reason)
    return { id, document }
  })
}

function isMissing(id: unknown): boolean {
  return id === undefined || id === null
}

function findIdProblem(id: unknown): string | undefined {
  if (Number.isSafeInteger(id)) return undefined
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
  for (const [index, { document }] of records.entries()) {
    const path = `/${definition.name}${resource.isSingular ? '' : `/${String(index)}`}`
    const unstorable = findUnstorable(document)
    if (unstorable !== undefined) report(path, unstorable)
    if (schema === undefined) continue
    const isClosed = schema.additionalProperties === false
    for (const field of isClosed ? findUnknownFields(resource, document) : [])
      report(`${path}/${field}`, 'is not a field of the schema')
    for (const { field, inside = [], message } of findProblems(resource, document))
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

/** Of references that no schema declares, which may refer to records that are not in the file. */
export function findDangling(resources: readonly DataResource[]): string[] {
  const ids = toIds(resources)
  return resources.flatMap(({ definition: { name, references = [] }, records }) =>
    references.flatMap(({ field, resource }) => {
      const known = ids.get(resource)
      const isDangling = (value: unknown) =>
        !isMissing(value) && known?.has(String(value)) === false
      const count = records.filter(({ document }) => isDangling(document[field])).length
      const ofRecords = `of ${String(count)} record${count === 1 ? '' : 's'}`
      return count === 0 ? [] : [`${field} ${ofRecords} of ${name} is not an id of ${resource}`]
    }),
  )
}

/** The ids of each list; undefined for a single record. */
function toIds(resources: readonly DataResource[]) {
  return new Map(
    resources.map(({ definition: { name, isSingular }, records }) => [
      name,
      isSingular ? undefined : new Set(records.map(({ id }) => id)),
    ]),
  )
}

/** Only of references that the schema declares. */
function reportDangling(
  resources: readonly DataResource[],
  { schemas, names, report }: DefineContext,
) {
  const targets = toIds(resources)
  for (const { definition, records } of resources) {
    const { name, references = [] } = definition
    for (const { field, resource, onDelete } of references) {
      const schema = schemas.get(name)
      if (schema?.properties?.[field]?.['x-references'] === undefined) continue
      const known = targets.get(resource)
      if (onDelete === 'set null' && schema.required?.includes(field))
        report(`/${name}`, `${field} is required and cannot be "set null"`)
      if (!known && (targets.has(resource) || !names.includes(resource)))
        report(`/${name}`, `${field} refers to ${resource}, which is not a list in the file`)
      for (const [index, { document }] of records.entries()) {
        const value = document[field]
        if (known && !isMissing(value) && !known.has(String(value)))
          report(`/${name}/${String(index)}/${field}`, `is not an id of ${resource}`)
      }
    }
  }
}
