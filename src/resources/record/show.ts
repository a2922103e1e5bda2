import type { FastifyReply, FastifyRequest } from 'fastify'
import { randomUUID } from 'node:crypto'
import { evaluatePreconditions } from '../../http/response/preconditions.ts'
import type { Html } from '../../site/html.ts'
import { chooseType } from '../../http/negotiation/negotiate.ts'
import { preconditionFailed } from '../../http/errors/http-error.ts'
import { toContentType } from '../../http/response/send.ts'
import { sendPage } from '../../site/send-page.ts'
import type { StoredRecord } from '../../stores/records/records.ts'
import { loadRecord, toId, unknownId, type Handler, type ResourceContext } from '../context.ts'
import type { Resource } from '../definition.ts'
import { formPage } from '../write/form-page.ts'
import { takePageFlash } from './page-flash.ts'
import { findRepresentation, toContent } from './representation-cache.ts'
import { recordTypes, toTag, type RecordType } from './validators.ts'

export function show(context: ResourceContext): Handler {
  const { resource, records } = context
  return (request, reply) => {
    const type = chooseType(request, reply, recordTypes)
    const id = toId(request)
    const found = records.find(id)
    const answer = (record: StoredRecord | undefined) => {
      if (record === undefined) throw unknownId(resource, id)
      return sendShown(request, reply, { resource, record, type })
    }
    return found instanceof Promise ? found.then(answer) : answer(found)
  }
}

function sendShown(
  request: FastifyRequest,
  reply: FastifyReply,
  { resource, record, type }: { resource: Resource; record: StoredRecord; type: RecordType },
): FastifyReply {
  const { validators, headers, content } = findRepresentation(resource, record, type)
  reply.headers(headers)
  const outcome = evaluatePreconditions(request.headers, validators)
  if (outcome === 'failed') throw preconditionFailed(validators.etag)
  const flash = takePageFlash(request, reply, type)
  // What is said once is in no answer that the client has.
  if (flash) return sendContent(reply, type, toContent(resource, record, { type, flash }))
  return outcome === 'not modified' ? reply.code(304).send() : sendContent(reply, type, content)
}

/** Sends a record as what {@link chooseType} chose. */
export function sendRecord(
  reply: FastifyReply,
  { resource }: ResourceContext,
  { type, record, flash }: { type: RecordType; record: StoredRecord; flash?: Html | undefined },
): FastifyReply {
  return sendContent(reply, type, toContent(resource, record, { type, flash }))
}

function sendContent(
  reply: FastifyReply,
  type: RecordType,
  content: string | Buffer,
): FastifyReply {
  return reply.type(toContentType(type)).send(content)
}

export function newForm({ resource }: ResourceContext): Handler {
  return async (request, reply) => {
    chooseType(request, reply, ['text/html'])
    // Its key makes every form another one, so there is nothing to revalidate.
    reply.header('cache-control', 'private, max-age=0')
    return sendPage(reply, formPage(resource, { _action: 'new', key: randomUUID(), values: {} }))
  }
}

export function edit(context: ResourceContext): Handler {
  return async (request, reply) => {
    chooseType(request, reply, ['text/html'])
    const id = toId(request)
    const record = await loadRecord(context, id)
    reply.header('cache-control', 'private, no-cache')
    const form = { _action: 'edit', id, etag: toTag(record), values: record.document } as const
    return sendPage(reply, formPage(context.resource, form))
  }
}
