import type { FastifyRequest } from 'fastify'
import { maxFieldNameLength, maxFields } from '../config/limits.ts'
import { isForm } from '../http/body/body-reader.ts'
import { compileLater } from '../http/body/json-schema.ts'
import { unprocessable } from '../http/errors/http-error.ts'
import { toQueryText } from '../http/request/target.ts'
import { partNames } from '../lists/part.ts'
import type { Collection, Document, NewRecord, StoredRecord } from '../stores/records/records.ts'
import { openPerSandbox } from '../stores/sandboxes/sandboxes.ts'
import { StoreFailure } from '../stores/store-failure.ts'
import type { ResourceContext } from './context.ts'
import { defineResource, type Resource } from './definition.ts'
import { jsonTypes, toJsonType } from '../http/openapi/json-schema.ts'
import { toTitle } from './field-values.ts'
import { findUnknownFields } from './write/find-problems.ts'
import { writeRecord } from './write/write-record.ts'

export const learnedSchema = {
  type: 'object',
  required: ['fields'],
  properties: {
    fields: { type: 'object', additionalProperties: { type: 'array', items: { enum: jsonTypes } } },
  },
} as const

export function learnFields({ resource, collection, learned }: ResourceContext): Collection {
  if (!resource.allowsUnknown || !learned) return collection
  const learn = async ({ document }: Pick<NewRecord, 'document'>) => {
    if (findUnknownFields(resource, document).length === 0) return
    await writeRecord({ collection: learned }, resource.name, (current) =>
      addFields(resource, current?.document, document),
    )
  }
  return {
    ...collection,
    create: (record) => learn(record).then(() => collection.create(record)),
    change: (record) => learn(record).then(() => collection.change(record)),
  }
}

/** The same object if all are known with this type. Throws 422 for a field that cannot be added. */
function addFields(
  resource: Resource,
  known: Document = { fields: {} },
  document: Document,
): Document {
  const all = new Map(Object.entries(toLearned(known)))
  const hasType = (name: string) => all.get(name)?.includes(toJsonType(document[name])) === true
  const names = findUnknownFields(resource, document).filter((name) => !hasType(name))
  for (const name of names) {
    all.set(name, [...(all.get(name) ?? []), toJsonType(document[name])])
    const fail = (message: string) => unprocessable([{ field: name, message }])
    if (name === '' || name.length > maxFieldNameLength)
      throw fail(`must have a name of 1 to ${String(maxFieldNameLength)} characters`)
    if (resource.fields.length + all.size > maxFields)
      throw fail(`cannot be added: ${resource.oneRecord} has at most ${String(maxFields)} fields`)
  }
  return names.length === 0 ? known : { fields: Object.fromEntries(all) }
}

const validate = compileLater(learnedSchema)

function toLearned(document: Document) {
  if (validate().Check(document)) return document.fields
  throw new StoreFailure('unavailable', 'the record of learned fields is damaged')
}

const openLatest = () => openPerSandbox((): { state?: string; resource?: Resource } => ({}))
const latest = new WeakMap<Resource, ReturnType<typeof openLatest>>()

export function findCurrent(context: ResourceContext): ResourceContext | Promise<ResourceContext> {
  const { resource, learned } = context
  const toCurrent = (record: StoredRecord | undefined) => {
    if (!record) return context
    const state = `${String(record.version)} ${record.createdAt}`
    const findLatest = latest.get(resource) ?? openLatest()
    latest.set(resource, findLatest)
    const found = findLatest()
    if (found.state !== state) found.resource = withFields(resource, record.document)
    found.state = state
    return { ...context, resource: found.resource ?? resource }
  }
  const found = resource.allowsUnknown ? learned?.find(resource.name) : undefined
  return found instanceof Promise ? found.then(toCurrent) : toCurrent(found)
}

/** Reads nothing for JSON, which has all members of a record, unless a parameter may be such a field. */
export function findNeeded(given: ResourceContext, request: FastifyRequest, type: string) {
  const context = withRights(given, request)
  const { allowsUnknown, fields } = context.resource
  if (!allowsUnknown) return context
  const isJson = type === 'application/json' || type === 'application/x-ndjson'
  const isNamed = isForm(request) || request.method === 'QUERY'
  const isKnown = (name: string) =>
    partNames.includes(name) || fields.some((field) => field.name === name)
  const query = toQueryText(request.url)
  const isOfDefinition = query === '' || new URLSearchParams(query).keys().every(isKnown)
  return isJson && !isNamed && isOfDefinition ? context : findCurrent(context)
}

/** Who has joined a sandbox to read has the pages of a service that is read-only. */
function withRights(context: ResourceContext, { raw }: FastifyRequest): ResourceContext {
  if (!raw.sandbox?.isReadOnly) return context
  return { ...context, config: { ...context.config, readOnly: true } }
}

/** No rule is inferred from what was learned: the types are those of inputs and filters. */
function withFields(resource: Resource, document: Document): Resource {
  const learned = toLearned(document)
  const { schema, hints, validator } = resource
  const properties = { ...schema.properties }
  const types = { ...hints }
  // A field of the schema may have been learned before.
  for (const name of findUnknownFields(resource, learned)) {
    const title = toTitle(name)
    properties[name] = { title }
    types[name] = { title, type: learned[name] ?? [] }
  }
  const extended = defineResource({ ...resource, schema: { ...schema, properties }, hints: types })
  return { ...extended, validator }
}
