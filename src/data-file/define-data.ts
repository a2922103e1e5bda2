import { HttpError } from '../http/errors/http-error.ts'
import type { DescriptionLimits } from '../responses/description-limits.ts'
import { createId } from '../idempotency/create-id.ts'
import { isRoutableId, singularId } from '../resources/context.ts'
import { defineResource, type ResourceDefinition } from '../resources/definition.ts'
import { findValue } from '../resources/field-values.ts'
import { assertStorable, findProblems, findUnknownFields } from '../resources/write/input.ts'
import { isDocument, type Document } from '../stores/records/records.ts'
import { parseResponses } from './data-responses.ts'
import { maxFields } from './infer-schema.ts'
import { findNameProblem } from './names.ts'
import { parseSchemas, type DataProblem, type GivenSchema } from './parse-schema.ts'
import { toDefinition } from './to-definition.ts'

export interface DataResource {
  definition: ResourceDefinition
  records: readonly { id: string; document: Document }[]
}

export interface DataOptions extends DescriptionLimits {
  idField: string
  foreignKeySuffix: string
}

type Data = DataOptions & {
  names: readonly string[]
  schemas: Readonly<Record<string, GivenSchema>>
  problems: DataProblem[]
}

/** Each has routes with patterns, which are compared with those of the others at the start. */
const maxResources = 200

/** The resources of a data file in its order; `schemas` is the content of the schema file. */
export function defineData(contents: unknown, options: DataOptions, schemas?: unknown) {
  const problems: DataProblem[] = []
  const failed = { resources: [], responses: undefined, isOfSchemaFile: false }
  const fail = (reason: string) => ({ ...failed, problems: [{ path: '/', reason }] })
  if (!isDocument(contents)) return fail('must be an object whose members are the resources')
  const { $schema: own, $responses: responses, ...data } = contents
  const given = parseSchemas(schemas ?? (isDocument(own) ? own : {}), problems)
  if (problems.length > 0) return { ...failed, problems, isOfSchemaFile: schemas !== undefined }
  const empty = Object.keys(given).map((name): [string, unknown] => [name, []])
  const all = Object.entries({ ...Object.fromEntries(empty), ...data })
  if (all.length > maxResources) return fail(`has more than ${String(maxResources)} resources`)
  const names = all.map(([name]) => name)
  const context = { ...options, schemas: given, names, problems }
  const resources = all.flatMap(([name, value]) => defineOne(context, name, value) ?? [])
  problems.push(...findDangling(resources, given))
  problems.push(...parseResponses(responses, names, options).problems)
  return { resources, responses, problems, isOfSchemaFile: false }
}

function defineOne(data: Data, name: string, value: unknown): DataResource | undefined {
  const { problems } = data
  const schema = Object.hasOwn(data.schemas, name) ? data.schemas[name] : undefined
  const path = `/${name.slice(0, 100)}`
  const isSingular = isDocument(value)
  const values: unknown[] = Array.isArray(value) ? value : [value]
  const documents = values.filter(isDocument)
  const nameProblem = findNameProblem(name)
  if (nameProblem) problems.push({ path, reason: nameProblem })
  else if (!isSingular && (!Array.isArray(value) || documents.length < values.length)) {
    problems.push({ path, reason: 'must be an array of objects, or an object' })
  } else {
    const records = isSingular
      ? [{ id: singularId, document: value }]
      : toRecords(data, name, documents)
    const definition = toDefinition({
      ...{ ...data, name, isSingular, schema },
      documents: records.map(({ document }) => document),
    })
    if (definition && !('' in definition.schema.properties)) {
      const resource = { definition, records }
      problems.push(...findDataProblems(resource, schema))
      return resource
    }
    const limit = `has more than ${String(maxFields)} fields: divide it into several resources`
    problems.push({ path, reason: definition ? 'has a field without a name' : limit })
  }
  return undefined
}

/** Records without an id get the next number, or a UUID where ids are text. */
function toRecords({ idField, problems }: Data, name: string, documents: readonly Document[]) {
  const ids = documents.map((document) => document[idField])
  const isNumeric = !ids.some((id) => typeof id === 'string')
  let last = ids.reduce<number>((max, id) => (typeof id === 'number' && id > max ? id : max), 0)
  const known = new Map<string, number>()
  return documents.map((given, index) => {
    const document = isMissing(given[idField])
      ? { ...given, [idField]: isNumeric ? (last += 1) : createId() }
      : given
    const id = String(document[idField])
    const twin = known.get(id)
    known.set(id, index)
    const isTwin = twin !== undefined && `is also the id of /${name}/${String(twin)}`
    const reason = findIdProblem(document[idField]) ?? isTwin
    if (reason) problems.push({ path: `/${name}/${String(index)}/${idField}`, reason })
    return { id, document }
  })
}

function isMissing(id: unknown): boolean {
  return id === undefined || id === null
}

function findIdProblem(id: unknown): string | undefined {
  if (Number.isSafeInteger(id)) return undefined
  if (typeof id !== 'string') return 'must be text or a whole number'
  if (isRoutableId(id)) return undefined
  return 'cannot be part of a path: an id has 1 to 200 characters, none of them a control character, and is not new, post, events, . or .., and does not end in .json, .html, .txt, .csv or .ndjson'
}

/** Inferred schemas fit the data; those of a user may not. */
function findDataProblems({ definition, records }: DataResource, schema?: GivenSchema) {
  const resource = defineResource(definition)
  const seen = new Map(resource.unique.map((field) => [field, new Set<string>()]))
  return records.flatMap(({ document }, index) => {
    const at = resource.isSingular ? '' : `/${String(index)}`
    const path = `/${definition.name}${at}`
    const problems = [...findUnstorable(document, path)]
    if (schema === undefined) return problems
    const isClosed = schema.additionalProperties === false
    for (const field of isClosed ? findUnknownFields(resource, document) : [])
      problems.push({ path: `${path}/${field}`, reason: 'is not a field of the schema' })
    for (const { field, message } of findProblems(resource, document))
      problems.push({ path: `${path}/${field}`, reason: message })
    for (const [field, values] of seen) {
      const given = findValue(document, field)
      if (isMissing(given)) continue
      const value = JSON.stringify(given)
      if (values.has(value))
        problems.push({ path: `${path}/${field}`, reason: 'is the value of another record' })
      values.add(value)
    }
    return problems
  })
}

function findUnstorable(document: Document, path: string): DataProblem[] {
  try {
    assertStorable(document)
    return []
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    return [{ path, reason: error.message }]
  }
}

/** Only of references that the schema declares. */
function findDangling(
  resources: readonly DataResource[],
  schemas: Data['schemas'],
): readonly DataProblem[] {
  const ids = new Map(
    resources.map(({ definition, records }) => [
      definition.name,
      new Set(records.map(({ id }) => id)),
    ]),
  )
  return resources.flatMap(({ definition: { name, references = [] }, records }) =>
    references.flatMap(({ field, resource, onDelete }) => {
      if (schemas[name]?.properties?.[field]?.['x-references'] === undefined) return []
      if (onDelete === 'set null' && schemas[name].required?.includes(field))
        return [{ path: `/${name}`, reason: `${field} is required and cannot be "set null"` }]
      const known = ids.get(resource)
      if (!known)
        return [
          { path: `/${name}`, reason: `${field} refers to ${resource}, which is not in the file` },
        ]
      return records.flatMap(({ document }, index) => {
        const value = document[field]
        if (isMissing(value) || known.has(String(value))) return []
        return [
          { path: `/${name}/${String(index)}/${field}`, reason: `is not an id of ${resource}` },
        ]
      })
    }),
  )
}
