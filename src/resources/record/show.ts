import type { FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../../http/errors/http-error.ts'
import { addVary, chooseType } from '../../http/negotiation/negotiate.ts'
import { assertPreconditions } from '../../http/response/preconditions.ts'
import { sendTagged, toContentType, toTaggedText } from '../../http/response/send.ts'
import { takeFlash } from '../../site/flash.ts'
import type { StoredRecord } from '../../stores/records/records.ts'
import {
  sortTypes,
  toListLink,
  toRecordId,
  type Handler,
  type ResourceContext,
} from '../context.ts'
import { acceptedPatchTypes, type Resource } from '../definition.ts'
import { findParameters, withParameterErrors } from '../list/list-parameters.ts'
import { parseFields } from '../list/list-query.ts'
import { loadEmbedded, parseEmbeds } from '../relations/embed.ts'
import { loadRelatedHtml } from '../relations/related-html.ts'
import { recordToContent, recordTypes, sendRecord, toRepresentation } from './representations.ts'
import { toTag } from './representations.ts'
import type { RecordType, ShownRecord } from './representations.ts'

export function show(context: ResourceContext): Handler {
  const { resource, collection, relations } = context
  // The store caches records: one that has not changed is the same object.
  const prepared = new WeakMap<StoredRecord, Partial<Record<RecordType, PreparedRecord>>>()
  const findPrepared = (record: StoredRecord, type: RecordType) => {
    let ofRecord = prepared.get(record)
    if (ofRecord === undefined) prepared.set(record, (ofRecord = {}))
    return (ofRecord[type] ??= prepareRecord({ resource, record, type }))
  }
  const types = sortTypes(resource, recordTypes)
  return (request, reply) => {
    const type = chooseType(request, reply, types)
    const id = toRecordId(resource, request)
    const found = collection.find(id)
    const isJson = type === 'application/json'
    const query = isJson ? parseRecordQuery(context, request) : undefined
    if (query || (type === 'text/html' && relations.length > 0))
      return sendRelated(request, reply, { context, type, id, query })
    const send = (record: StoredRecord | undefined) =>
      sendFound(request, reply, findPrepared(assertFound(resource, id, record), type))
    return found instanceof Promise ? found.then(send) : send(found)
  }
}

function parseRecordQuery(context: ResourceContext, request: FastifyRequest) {
  if (!/[?&](_?(embed|expand)|fields)(\[\d*\])?=/.test(request.url)) return undefined
  return withParameterErrors(request, () => {
    const parameters = findParameters(context.resource, request)
    const fields = parameters.get('fields')
    return {
      embeds: parseEmbeds(context, parameters) ?? new Map<never, never>(),
      fields: fields && parseFields(context.resource, fields),
    }
  })
}

interface RelatedRequest {
  context: ResourceContext
  type: RecordType
  id: string
  query: ReturnType<typeof parseRecordQuery>
}

/** The tag depends on the other records and on the fields too. */
async function sendRelated(
  request: FastifyRequest,
  reply: FastifyReply,
  { context, type, id, query }: RelatedRequest,
) {
  const { resource, collection } = context
  const record = assertFound(resource, id, await collection.find(id))
  reply.headers(commonHeaders)
  const flash = takePageFlash(request, reply, type)
  if (query) {
    const toMembers = await loadEmbedded([record], query.embeds)
    const shown = { ...toRepresentation(resource, record, query.fields), ...toMembers(record) }
    return sendTagged(request, reply, toTaggedText(type, JSON.stringify(shown)))
  }
  const related = await loadRelatedHtml(context, record)
  const page = { resource, record, type, flash, related }
  // A page with a message is not to be revalidated.
  if (flash) return sendRecord(reply, page)
  return sendTagged(request, reply, toTaggedText(type, recordToContent(reply, page)))
}

interface PreparedRecord extends ShownRecord {
  etag: string
  lastModified: Date
  headers: Readonly<Record<string, string>>
  content?: string
}

const commonHeaders = {
  'cache-control': 'private, no-cache',
  'accept-patch': acceptedPatchTypes.join(', '),
}

function prepareRecord(shown: ShownRecord): PreparedRecord {
  const etag = toTag(shown.record, shown.type)
  const lastModified = new Date(shown.record.updatedAt)
  const headers = {
    etag,
    'last-modified': lastModified.toUTCString(),
    ...commonHeaders,
  }
  return { ...shown, etag, lastModified, headers }
}

function sendFound(request: FastifyRequest, reply: FastifyReply, prepared: PreparedRecord) {
  reply.headers(prepared.headers)
  const hasCurrent = assertPreconditions(request.raw, prepared) === 'not modified'
  const flash = takePageFlash(request, reply, prepared.type)
  if (flash) return sendRecord(reply, { ...prepared, flash })
  // A page with a message is not the one that the client has stored.
  if (hasCurrent) return reply.code(304).send()
  prepared.content ??= recordToContent(reply, prepared)
  return reply.type(toContentType(prepared.type)).send(prepared.content)
}

export function assertFound(resource: Resource, id: string, record: StoredRecord | undefined) {
  if (record !== undefined) return record
  const which = resource.isSingular ? '' : ` with the id ${id}`
  throw notFound(`There is no ${resource.singular}${which}.`, toListLink(resource))
}

export function takePageFlash(request: FastifyRequest, reply: FastifyReply, type: string) {
  if (type === 'text/html') return takeFlash(request, reply)
  // RFC 9110 §12.5.5: a page at this URL would have depended on the cookie.
  if (request.negotiation?.by !== 'suffix') addVary(reply, 'Cookie')
  return undefined
}
