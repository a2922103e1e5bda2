import type { FastifyReply, FastifyRequest } from 'fastify'
import { randomBytes } from 'node:crypto'
import { isObject } from '../config/is-object.ts'
import type { Config } from '../config/config.ts'
import { findJson } from '../config/find-json.ts'
import { hasBody, isForm, toMediaType } from '../http/body/body-reader.ts'
import { assertDepth } from '../http/body/parse-json.ts'
import { badRequest, conflict, unprocessable } from '../http/errors/http-error.ts'
import { toOrigin } from '../http/request/request-head.ts'
import { sendJson } from '../http/response/send.ts'
import { createId } from '../stores/create-id.ts'
import {
  assertFound,
  isRoutableId,
  singularId,
  toRecordId,
  toRecordPath,
} from '../resources/context.ts'
import type { Handler, Relation, ResourceContext } from '../resources/context.ts'
import { acceptedTypes } from '../resources/definition.ts'
import { toTag } from '../resources/record/representations.ts'
import { checkWrites } from '../resources/relations/check-writes.ts'
import { assertStorable, findProblems } from '../resources/write/find-problems.ts'
import { nextTime, toStored } from '../resources/write/create-numbered.ts'
import { destroyMany } from '../resources/write/destroy-many.ts'
import { assertMayWrite, createHasher, createRecord, destroy } from '../resources/write/write.ts'
import { writeRecord } from '../resources/write/write-record.ts'
import { isFieldValue, type Document, type StoredRecord } from '../stores/records/records.ts'
import { toNames } from './parse-list0.ts'
import { findQuery } from './read.ts'
import {
  findRecord,
  isRepeated,
  isVersion1,
  toForeignKey,
  toPlural,
  toShown,
  toSingular,
  type Context,
} from './context.ts'

export function create(context: Context, fixed: Document = {}): Handler {
  return async (request, reply) => {
    const body = { ...parseBody(context, request), ...fixed }
    const record = await storeNew(context, await createFitter(context)(body))
    if (!isVersion1(context)) {
      reply.header('location', toOrigin(request) + toRecordPath(context.resource, record.id))
    }
    return sendStored(context, reply.code(201), record)
  }
}

/** In 1 the id of a new record is always random. In 0.17 a client can choose it. */
async function storeNew(context: Context, body: Document) {
  const { resource, collection } = context
  const { [resource.idName]: given, ...document } = body
  if (!isVersion1(context) && !given) return createRecord(context, createId(), document)
  const id = isVersion1(context) ? randomBytes(8).toString('base64url') : given
  const key = isFieldValue(id) ? String(id) : ''
  if (!isRoutableId(key)) throw badRequest(`${resource.idName} cannot be the id of a record.`)
  const stored = { ...document, [resource.idName]: id }
  const record = { id: key, document: stored, createdAt: nextTime() }
  if (!(await findRecord(context, key)) && (await collection.create(record)))
    return toStored(record)
  throw conflict(`There is already a ${resource.singular} with the id ${key}.`)
}

export function change(context: Context): Handler {
  const { resource } = context
  return async (request, reply) => {
    const body = parseBody(context, request)
    const fit = createFitter(context)
    const id = await findKey(context, request)
    const record = await writeRecord(context, id, async (found) => {
      const current = assertFound(resource, id, found)
      assertMayWrite(request, context, current)
      const { document } = current
      const kept = resource.isSingular ? {} : { [resource.idName]: document[resource.idName] }
      const isUnchanged = Object.keys(body).every((name) => Object.hasOwn(kept, name))
      if (request.method === 'PATCH' && isUnchanged) return document
      return fit({ ...(request.method === 'PATCH' && document), ...body, ...kept }, body)
    })
    if (request.method === 'POST') {
      reply.code(201).header('location', toOrigin(request) + resource.path)
    }
    return sendStored(context, reply, record)
  }
}

async function findKey(context: Context, request: FastifyRequest): Promise<string> {
  const id = toRecordId(context.resource, request)
  return (await findRecord(context, id))?.id ?? id
}

function sendStored(context: Context, reply: FastifyReply, record: StoredRecord) {
  return sendJson(reply.header('etag', toTag(record)), toShown(context, record))
}

export function remove(context: Context): Handler {
  const { resource } = context
  return async (request, reply) => {
    const id = await findKey(context, request)
    let shown = {}
    await writeRecord(await withRemoval(context, id, request), id, (found) => {
      const current = assertFound(resource, id, found)
      assertMayWrite(request, context, current)
      if (isVersion1(context)) shown = toShown(context, current)
      return undefined
    })
    return sendJson(reply, shown)
  }
}

export function removeAsPage(context: Context): Handler {
  return async function (request, reply) {
    const id = toRecordId(context.resource, request)
    return destroy(await withRemoval(context, id, request)).call(this, request, reply)
  }
}

export function removeMany(context: Context): Handler {
  return destroyMany(context, (id, request) => withRemoval(context, id, request))
}

/** Only objects can be written to a value in version 1. */
export function changeValue(context: Context): Handler {
  return async (request, reply) => {
    const body = parseBody(context, request)
    const record = await writeRecord(context, singularId, async (found) => {
      assertMayWrite(request, context, found)
      const kept = request.method === 'PATCH' ? found?.document.value : {}
      return Promise.resolve({ value: Object.assign({}, kept, body) })
    })
    return sendJson(reply.header('etag', toTag(record)), record.document.value)
  }
}

/**
 * 0.17 removes the records that refer to a removed one. 1 sets what refers to it to null, or removes it, if
 * `_dependent` has its resource.
 */
async function withRemoval(
  context: Context,
  id: string,
  request: FastifyRequest,
): Promise<ResourceContext> {
  const isTextOnly = isVersion1(context)
  // A record with the same id is left, to which the others refer.
  if (!isTextOnly && (await isRepeated(context, id))) return context
  const dependents = toNames(findQuery(request)._dependent)
  const relations = context.contexts.flatMap((other): Relation[] => {
    const { isSingular, name } = other.resource
    if (isSingular || (isTextOnly && name === context.resource.name)) return []
    const isRemoved = !isTextOnly || dependents.includes(name)
    const onDelete = isRemoved ? 'cascade' : 'set null'
    // 1 compares with `===`, and its ids are texts.
    const relation = { name, isTextOnly, isToParent: false, onDelete, other } as const
    return toReferring(context, other).map((field) => ({ ...relation, field }))
  })
  return { ...context, collection: checkWrites({ ...context, relations }) }
}

function toReferring(context: Context, { resource: { fields } }: Context): readonly string[] {
  if (isVersion1(context)) return [toForeignKey(context)]
  const { config, resource } = context
  const suffix = config.foreignKeySuffix
  // 0.17 forms the plural of the field here, and the singular of the list everywhere else.
  const known = [resource.name, toSingular(context, resource.name)].map((name) => name + suffix)
  return [...new Set([...known, ...fields.map(({ name }) => name)])].filter((name) => {
    const stem = name.slice(0, name.length - suffix.length)
    return name.endsWith(suffix) && toPlural(context, stem) === resource.name
  })
}

/** The parser is as lenient as the version: 0.17 ignores a body of another type, and 1 takes any text for JSON. */
function parseBody(context: Context, request: FastifyRequest): Document {
  const document = isVersion1(context) ? findBody1(request, context.config) : findBody0(request)
  if (!isObject(document)) throw badRequest('Body must be a JSON object')
  assertStorable(document)
  // A field may have the name of a parameter that stands for a header.
  const headers = isForm(request) ? {} : request.raw.parsedBody?.formHeaders
  return { ...headers, ...document }
}

function createFitter({ resource }: Context) {
  const hash = createHasher(resource)
  return async (document: Document, given?: Document) => {
    const problems = findProblems(resource, document)
    if (problems.length > 0) throw unprocessable(problems)
    return hash(document, given)
  }
}

function findBody0({ body = {}, headers }: FastifyRequest): unknown {
  const type = toMediaType(headers['content-type'])
  return acceptedTypes.some((known) => known === type) ? body : {}
}

function findBody1({ body, raw }: FastifyRequest, config: Config): unknown {
  if (typeof body === 'string') {
    assertDepth(body, config.maxJsonDepth)
    return findJson(body)
  }
  return body === undefined && !hasBody(raw) ? {} : body
}
