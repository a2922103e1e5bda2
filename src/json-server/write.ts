import type { FastifyReply, FastifyRequest } from 'fastify'
import { randomBytes } from 'node:crypto'
import { hasBody, isForm, toMediaType } from '../http/body/body-reader.ts'
import { badRequest, conflict } from '../http/errors/http-error.ts'
import { isObject } from '../http/request/parameters.ts'
import { toOrigin } from '../http/request/request-head.ts'
import { sendJson } from '../http/response/send.ts'
import { createId } from '../idempotency/create-id.ts'
import { isRoutableId, toRecordId, toRecordPath } from '../resources/context.ts'
import type { Handler, ResourceContext } from '../resources/context.ts'
import { acceptedTypes } from '../resources/definition.ts'
import { toTag } from '../resources/record/representations.ts'
import { assertFound } from '../resources/record/show.ts'
import { assertStorable } from '../resources/write/input.ts'
import { nextTime } from '../resources/write/create-numbered.ts'
import {
  assertMayWrite,
  createHasher,
  createRecord,
  writeRecord,
} from '../resources/write/write.ts'
import type { Document, StoredRecord } from '../stores/records/records.ts'
import { toShown, type JsonServer } from './server.ts'

/** `toFields` gives the fields that the path of a nested route sets. */
export function create(
  server: JsonServer,
  context: ResourceContext,
  toFields: (request: FastifyRequest) => Document = () => ({}),
): Handler {
  const { resource } = context
  return async (request, reply) => {
    const body = { ...(await findFields(server, context, request)), ...toFields(request) }
    const record = await storeNew(server, context, body)
    if (server.version === '0.17') {
      reply.header('location', toOrigin(request) + toRecordPath(resource, record.id))
    }
    return sendStored(reply.code(201), { server, context, record })
  }
}

/** In 1 the id of a new record is always random. In 0.17 a client can choose it. */
async function storeNew(server: JsonServer, context: ResourceContext, body: Document) {
  const { resource, collection } = context
  const { [resource.idName]: given, ...document } = body
  if (server.version === '0.17' && !given) return createRecord(context, createId(), document)
  const id = server.version === '1' ? randomBytes(8).toString('base64url') : given
  const key = typeof id === 'string' || Number.isSafeInteger(id) ? String(id) : ''
  if (!isRoutableId(key)) throw badRequest(`${resource.idName} cannot be the id of a record.`)
  const now = nextTime()
  const record = { id: key, document: { ...document, [resource.idName]: id }, createdAt: now }
  if (await collection.create(record)) return { ...record, version: 1, updatedAt: now }
  throw conflict(`There is already a ${resource.singular} with the id ${key}.`)
}

/** PUT and PATCH; of a singular resource POST too. */
export function change(server: JsonServer, context: ResourceContext): Handler {
  const { resource } = context
  return async (request, reply) => {
    const body = await findFields(server, context, request)
    const id = toRecordId(resource, request)
    const record = await writeRecord(context, id, async (found) => {
      const current = assertFound(resource, id, found)
      assertMayWrite(request, context, current)
      const { document } = current
      const kept = resource.isSingular ? {} : { [resource.idName]: document[resource.idName] }
      return { ...(request.method === 'PATCH' && document), ...body, ...kept }
    })
    if (request.method === 'POST') {
      reply.code(201).header('location', toOrigin(request) + resource.path)
    }
    return sendStored(reply, { server, context, record })
  }
}

function sendStored(reply: FastifyReply, { server, context, record }: Stored) {
  reply.header('etag', toTag(record))
  return sendJson(reply, toShown(server, context, record))
}

interface Stored {
  server: JsonServer
  context: ResourceContext
  record: StoredRecord
}

function findFields(server: JsonServer, { resource }: ResourceContext, request: FastifyRequest) {
  return createHasher(resource)(parseBody(server, request))
}

/** As lenient as the version: 0.17 ignores a body of another type, and 1 takes any text for JSON. */
function parseBody({ version }: JsonServer, request: FastifyRequest): Document {
  const document = version === '1' ? findBody1(request) : findBody0(request)
  if (!isObject(document)) throw badRequest('Body must be a JSON object')
  assertStorable(document)
  // A field may have the name of a parameter that stands for a header.
  return isForm(request) ? document : { ...request.raw.parsedBody?.formHeaders, ...document }
}

function findBody0({ body = {}, headers }: FastifyRequest): unknown {
  const type = toMediaType(headers['content-type'])
  return acceptedTypes.some((known) => known === type) ? body : {}
}

function findBody1({ body, raw }: FastifyRequest): unknown {
  if (typeof body !== 'string') return body === undefined && !hasBody(raw) ? {} : body
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
