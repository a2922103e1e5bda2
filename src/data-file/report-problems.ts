import { findNearest } from '../config/find-nearest.ts'
import { HttpError } from '../http/errors/http-error.ts'
import { defineResource, type ResourceDefinition } from '../resources/definition.ts'
import { findValue } from '../resources/field-values.ts'
import {
  assertStorable,
  findAllProblems,
  findUnknownFields,
} from '../resources/write/find-problems.ts'
import type { Document } from '../stores/records/records.ts'
import type { GivenSchema, Report } from './parse-schema.ts'
import type { InferredResource } from './to-definition.ts'

export interface DataResource {
  inferred: InferredResource
  definition: ResourceDefinition
  records: readonly { id: string; document: Document }[]
  /** One for each id that the file has and the service does not. */
  notices: readonly string[]
}

export interface SchemaOptions {
  foreignKeySuffix: string
  inferredFrom: string
  schemas: ReadonlyMap<string, GivenSchema>
  report: Report
}

/** A schema of a misspelt name would check nothing. */
export function reportMisspelt(names: readonly string[], { schemas, report }: SchemaOptions) {
  const others = names.filter((name) => !schemas.has(name))
  for (const name of schemas.keys()) {
    const nearest = names.includes(name) ? undefined : findNearest(name, others)
    if (nearest !== undefined)
      report('/', `has no resource ${name}, which the schema names; did you mean ${nearest}?`)
  }
}

/** Inferred schemas fit the data; those of a user may not. */
export function reportRecords(
  { definition, records }: DataResource,
  { schemas, report }: SchemaOptions,
) {
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

const isMissing = (value: unknown): boolean => value === undefined || value === null

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

export function reportDangling(
  resources: readonly DataResource[],
  { schemas, names, report }: SchemaOptions & { names: readonly string[] },
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
