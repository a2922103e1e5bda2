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
  // The store caches records: one that has not changed is the same object.
  const prepared = new WeakMap<StoredRecord, Partial<Record<RecordType, PreparedRecord>>>()
  const findPrepared = (record: StoredRecord, type: RecordType) => {
    let ofRecord = prepared.get(record)
    if (ofRecord === undefined) prepared.set(record, (ofRecord = {}))
    return (ofRecord[type] ??= prepareRecord({ resource, record, type }))
  }
  return (request, reply) => {
    const type = chooseType(request, reply, recordTypes)
    const id = toPathParameter(request, 'id')
    const found = records.find(id)
    const send = (record: StoredRecord | undefined) =>
      sendFound(request, reply, findPrepared(assertFound(resource, id, record), type))
    return found instanceof Promise ? found.then(send) : send(found)
  }
}

interface ShownRecord {
  resource: Resource
  record: StoredRecord
  type: RecordType
  flash?: Html | undefined
}

interface PreparedRecord extends ShownRecord {
  etag: string
  lastModified: Date
  headers: Readonly<Record<string, string>>
  /** Once it has been sent. */
  content?: string
}

function prepareRecord(shown: ShownRecord): PreparedRecord {
  const etag = toTag(shown.record, shown.type)
  const lastModified = new Date(shown.record.updatedAt)
  const headers = {
    etag,
    'last-modified': lastModified.toUTCString(),
    'cache-control': 'private, no-cache',
    'accept-patch': acceptedPatchTypes.join(', '),
  }
  return { ...shown, etag, lastModified, headers }
}

function sendFound(
  request: FastifyRequest,
  reply: FastifyReply,
  prepared: PreparedRecord,
): FastifyReply {
  reply.headers(prepared.headers)
  const hasCurrent = isNotModified(request.headers, prepared)
  const flash = takePageFlash(request, reply, prepared.type)
  if (flash) return sendRecord(reply, { ...prepared, flash })
  // A page with a message is not the one that the client has stored.
  if (hasCurrent) return reply.code(304).send()
  prepared.content ??= recordToContent(prepared)
  return reply.type(toContentType(prepared.type)).send(prepared.content)
}

export function sendRecord(reply: FastifyReply, shown: ShownRecord): FastifyReply {
  return reply.type(toContentType(shown.type)).send(recordToContent(shown))
}

function recordToContent({ resource, record, type, flash }: ShownRecord): string {
  switch (type) {
    case 'text/html':
      return recordPage(resource, record, flash).markup
    case 'application/json':
      return JSON.stringify(toRepresentation(resource, record))
    case 'text/plain':
      return recordToText(resource, record)
  }
}
