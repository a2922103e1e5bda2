import type { FastifyReply, FastifyRequest } from 'fastify'
import { chooseType } from '../../http/negotiation/negotiate.ts'
import { toPathParameter } from '../../http/request/path-parameter.ts'
import { isNotModified } from '../../http/response/preconditions.ts'
import { toContentType } from '../../http/response/send.ts'
import type { Html } from '../../site/html.ts'
import type { StoredRecord } from '../../stores/records/records.ts'
import { assertFound, takePageFlash, type Handler, type ResourceContext } from '../context.ts'
import type { Resource } from '../definition.ts'
import { acceptedPatchTypes } from '../write/input.ts'
import { recordPage } from './record-page.ts'
import {
  recordToText,
  recordTypes,
  toRepresentation,
  toTag,
  type RecordType,
} from './representations.ts'

export function show({ resource, records }: ResourceContext): Handler {
  return (request, reply) => {
    const type = chooseType(request, reply, recordTypes)
    const id = toPathParameter(request, 'id')
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
  const etag = toTag(shown.record, shown.type)
  const lastModified = new Date(shown.record.updatedAt)
  reply.headers({
    etag,
    'last-modified': lastModified.toUTCString(),
    'cache-control': 'private, no-cache',
    'accept-patch': acceptedPatchTypes.join(', '),
  })
  const hasCurrent = isNotModified(request.headers, { etag, lastModified })
  const flash = takePageFlash(request, reply, shown.type)
  // A page with a message is not the one that the client has stored.
  if (hasCurrent && !flash) return reply.code(304).send()
  return sendRecord(reply, { ...shown, flash })
}

export function sendRecord(
  reply: FastifyReply,
  { resource, record, type, flash }: ShownRecord,
): FastifyReply {
  reply.type(toContentType(type))
  switch (type) {
    case 'text/html':
      return reply.send(recordPage(resource, record, flash).markup)
    case 'application/json':
      return reply.send(JSON.stringify(toRepresentation(resource, record)))
    case 'text/plain':
      return reply.send(recordToText(resource, record))
  }
}
