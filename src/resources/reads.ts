import type { FastifyReply } from 'fastify'
import { chooseType } from '../http/negotiate.ts'
import { sendJson, sendPage, sendText } from '../http/send.ts'
import type { StoredRecord } from '../storage/records/records.ts'
import { loadRecord, toId, type Handler, type ResourceContext } from './context.ts'
import { toRepresentation, toText } from './representations.ts'
import { formPage, recordPage } from './views.ts'

const readable = ['text/html', 'application/json', 'text/plain'] as const

export function show(context: ResourceContext): Handler {
  return async (request, reply) => {
    const type = chooseType(request, reply, readable)
    return sendRecord(reply, context, { type, record: await loadRecord(context, toId(request)) })
  }
}

/** Sends a record as what {@link chooseType} chose. */
export function sendRecord(
  reply: FastifyReply,
  { resource }: ResourceContext,
  { type, record }: { type: (typeof readable)[number]; record: StoredRecord },
): FastifyReply {
  switch (type) {
    case 'text/html':
      return sendPage(reply, recordPage(resource, record))
    case 'application/json':
      return sendJson(reply, toRepresentation(resource, record))
    case 'text/plain':
      return sendText(reply, toText(resource, record))
  }
}

export function newForm({ resource }: ResourceContext): Handler {
  return async (request, reply) => {
    chooseType(request, reply, ['text/html'])
    return sendPage(reply, formPage(resource, { _action: 'new', values: {} }))
  }
}

export function edit(context: ResourceContext): Handler {
  return async (request, reply) => {
    chooseType(request, reply, ['text/html'])
    const id = toId(request)
    const { document } = await loadRecord(context, id)
    return sendPage(reply, formPage(context.resource, { _action: 'edit', id, values: document }))
  }
}
