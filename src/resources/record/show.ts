import type { FastifyReply, FastifyRequest } from 'fastify'
import { randomUUID } from 'node:crypto'
import { evaluatePreconditions } from '../../http/response/preconditions.ts'
import type { Html } from '../../site/html.ts'
import { chooseType } from '../../http/negotiation/negotiate.ts'
import { preconditionFailed } from '../../http/errors/http-error.ts'
import { toContentType } from '../../http/response/send.ts'
import { sendPage } from '../../site/send-page.ts'
import type { StoredRecord } from '../../stores/records/records.ts'
import { assertFound, loadRecord, takePageFlash, toId } from '../context.ts'
import type { Handler, ResourceContext } from '../context.ts'
import type { Resource } from '../definition.ts'
import { acceptedPatchTypes } from '../write/input.ts'
import { formPage } from '../write/form-page.ts'
import { recordPage } from './record-page.ts'
import { recordToText, toRepresentation } from './representations.ts'
import { recordTypes, toTag, toValidators, type RecordType } from './validators.ts'

export function show({ resource, records }: ResourceContext): Handler {
  return (request, reply) => {
    const type = chooseType(request, reply, recordTypes)
    const id = toId(request)
    const found = records.find(id)
    const send = (record: StoredRecord | undefined) =>
      sendFound(request, reply, { resource, record: assertFound(resource, id, record), type })
    return found instanceof Promise ? found.then(send) : send(found)
  }
}

interface ShownRecord {
  resource: Resource
  record: StoredRecord
  type: RecordType
  flash?: Html | undefined
}

function sendFound(request: FastifyRequest, reply: FastifyReply, shown: ShownRecord): FastifyReply {
  const validators = toValidators(shown.record, shown.type)
  reply.headers({
    etag: validators.etag,
    'last-modified': validators.lastModified.toUTCString(),
    'cache-control': 'private, no-cache',
    'accept-patch': acceptedPatchTypes.join(', '),
  })
  const outcome = evaluatePreconditions(request.headers, validators)
  if (outcome === 'failed') throw preconditionFailed(validators.etag)
  const flash = takePageFlash(request, reply, shown.type)
  // A page with a message is not the one that the client has stored.
  if (outcome === 'not modified' && !flash) return reply.code(304).send()
  return sendRecord(reply, { ...shown, flash })
}

/** Sends a record in the media type that {@link chooseType} chose. */
export function sendRecord(reply: FastifyReply, shown: ShownRecord): FastifyReply {
  return reply.type(toContentType(shown.type)).send(renderRecord(shown))
}

function renderRecord({ resource, record, type, flash }: ShownRecord): string {
  switch (type) {
    case 'text/html':
      return recordPage(resource, record, flash).markup
    case 'application/json':
      return JSON.stringify(toRepresentation(resource, record))
    case 'text/plain':
      return recordToText(resource, record)
  }
}

export function newForm({ resource }: ResourceContext): Handler {
  return (request, reply) => {
    chooseType(request, reply, ['text/html'])
    // Each form has a key of its own, so there is nothing to revalidate.
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
