import { conflict, unprocessable } from '../http/errors/http-error.ts'
import type { Collection, Document, StoredRecord } from '../stores/records/records.ts'
import type { Handler, ResourceContext } from './context.ts'
import { defineResource, type Resource } from './definition.ts'
import { jsonTypes, type JsonType } from './field-schema.ts'
import { toTitle } from './field-values.ts'
import { findUnknownFields } from './write/input.ts'

/** The types of the values of each field. */
export type LearnedFields = Readonly<Record<string, readonly JsonType[]>>

/** Of the record of a resource: the fields that requests have added to those of its definition. */
export const learnedSchema = {
  type: 'object',
  required: ['fields'],
  properties: {
    fields: {
      type: 'object',
      additionalProperties: { type: 'array', items: { enum: jsonTypes } },
    },
  },
} as const

/** More fields make pages and statements of any size. */
export const maxFields = 500
const maxNameLength = 200
const maxAttempts = 100

/** A collection whose writes store the names of new fields before the record. */
export function learnFields({ resource, collection, learned }: ResourceContext): Collection {
  if (!resource.allowsUnknown || !learned) return collection
  return {
    ...collection,
    create: async (record) => {
      await learn(resource, learned, record.document)
      return collection.create(record)
    },
    change: async (record) => {
      await learn(resource, learned, record.document)
      return collection.change(record)
    },
  }
}

async function learn(resource: Resource, learned: Collection, document: Document): Promise<void> {
  const names = findUnknownFields(resource, document)
  if (names.length === 0) return
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const current = await learned.find(resource.name)
    const known = toLearned(current?.document)
    const fields = addFields(resource, known, document, names)
    if (fields === known) return
    const now = new Date().toISOString()
    const next = { id: resource.name, document: { fields } }
    const isStored = current
      ? learned.change({ ...next, version: current.version, updatedAt: now })
      : learned.create({ ...next, createdAt: now })
    if (await isStored) return
  }
  throw conflict('Too many requests are adding fields at the same time.')
}

function toLearned(document: Document | undefined): LearnedFields {
  // Only this file writes these documents, and a restore checks them.
  return (document?.fields ?? {}) as LearnedFields
}

/** The same object if all are known with this type. Throws 422 for a field that cannot be added. */
function addFields(
  { fields: { length: count }, oneRecord }: Resource,
  known: LearnedFields,
  document: Document,
  names: readonly string[],
): LearnedFields {
  const all = new Map(Object.entries(known))
  let isChanged = false
  for (const name of names) {
    const [type, types = []] = [toJsonType(document[name]), all.get(name)]
    if (types.includes(type)) continue
    isChanged = true
    all.set(name, [...types, type])
    const fail = (message: string) => unprocessable([{ field: name, message }])
    if (name === '' || name.length > maxNameLength)
      throw fail(`must have a name of 1 to ${String(maxNameLength)} characters`)
    if (count + all.size > maxFields)
      throw fail(`cannot be added: ${oneRecord} has at most ${String(maxFields)} fields`)
  }
  return isChanged ? Object.fromEntries(all) : known
}

function toJsonType(value: unknown): JsonType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return jsonTypes.find((type) => typeof value === type) ?? 'object'
}

const latest = new WeakMap<Resource, { state: string; resource: Resource }>()

/** The context with the fields that any process has learned. */
export function findCurrent(context: ResourceContext): ResourceContext | Promise<ResourceContext> {
  const { resource, learned } = context
  const toCurrent = (record: StoredRecord | undefined) => {
    if (!record) return context
    const state = `${String(record.version)} ${record.createdAt}`
    const found = latest.get(resource)
    if (found?.state === state) return { ...context, resource: found.resource }
    const extended = withFields(resource, toLearned(record.document))
    latest.set(resource, { state, resource: extended })
    return { ...context, resource: extended }
  }
  const found = resource.allowsUnknown ? learned?.find(resource.name) : undefined
  return found instanceof Promise ? found.then(toCurrent) : toCurrent(found)
}

/** A handler that is made anew when fields have been added. */
export function withCurrent(
  context: ResourceContext,
  toHandler: (context: ResourceContext) => Handler,
): Handler {
  let [last, handler] = [context.resource, toHandler(context)]
  return function (request, reply) {
    const run = (current: ResourceContext) => {
      if (current.resource !== last) [last, handler] = [current.resource, toHandler(current)]
      return handler.call(this, request, reply)
    }
    const current = findCurrent(context)
    return current instanceof Promise ? current.then(run) : run(current)
  }
}

/** No rule is inferred from what was learned: the types are those of inputs and filters. */
function withFields(resource: Resource, fields: LearnedFields): Resource {
  // A field of the schema may have been learned before.
  const names = findUnknownFields(resource, fields)
  const entries = names.map((name) => [name, fields[name] ?? []] as const)
  const rules = entries.map(([name]) => [name, { title: toTitle(name) }] as const)
  const hints = entries.map(([name, type]) => [name, { title: toTitle(name), type }] as const)
  const { schema, validator } = resource
  const extended = defineResource({
    ...resource,
    schema: { ...schema, properties: { ...schema.properties, ...Object.fromEntries(rules) } },
    hints: { ...resource.hints, ...Object.fromEntries(hints) },
  })
  return { ...extended, validator }
}
