import type { FastifyReply } from 'fastify'
import { randomUUID } from 'node:crypto'
import { evaluatePreconditions } from '../http/conditional.ts'
import type { Html } from '../http/html.ts'
import { chooseType } from '../http/negotiate.ts'
import { preconditionFailed } from '../http/refusal.ts'
import { sendJson, sendPage, sendText } from '../http/send.ts'
import type { StoredRecord } from '../storage/records/records.ts'
import { loadRecord, toId, type Handler, type ResourceContext } from './context.ts'
import { formPage } from './form-page.ts'
import { acceptedPatchTypes } from './input.ts'
import { takePageFlash } from './page-flash.ts'
import { recordPage } from './record-page.ts'
import { toRepresentation, toText } from './representations.ts'
import { recordTypes, toTag, toValidators, type RecordType } from './validators.ts'

export function show(context: ResourceContext): Handler {
  return async (request, reply) => {
    const type = chooseType(request, reply, recordTypes)
    const record = await loadRecord(context, toId(request))
    const { etag, lastModified } = toValidators(record, type)
    reply.headers({
      etag,
      'last-modified': lastModified.toUTCString(),
      'cache-control': 'private, no-cache',
      'accept-patch': acceptedPatchTypes.join(', '),
    })
    const outcome = evaluatePreconditions(request.headers, { etag, lastModified })
    if (outcome === 'failed') throw preconditionFailed(etag)
    const flash = takePageFlash(request, reply, type)
    // What is said once is in no answer that the client has.
    if (outcome === 'not modified' && flash === undefined) return reply.code(304).send()
    return sendRecord(reply, context, { type, record, flash })
  }
}

/** Sends a record as what {@link chooseType} chose. */
export function sendRecord(
  reply: FastifyReply,
  { resource }: ResourceContext,
  { type, record, flash }: { type: RecordType; record: StoredRecord; flash?: Html | undefined },
): FastifyReply {
  switch (type) {
    case 'text/html':
      return sendPage(reply, recordPage(resource, record, flash))
    case 'application/json':
      return sendJson(reply, toRepresentation(resource, record))
    case 'text/plain':
      return sendText(reply, toText(resource, record))
  }
}

export function newForm({ resource }: ResourceContext): Handler {
  return async (request, reply) => {
    chooseType(request, reply, ['text/html'])
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
