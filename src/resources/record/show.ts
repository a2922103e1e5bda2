import type { FastifyReply, FastifyRequest } from 'fastify'
import { chooseType } from '../../http/negotiation/negotiate.ts'
import { assertPreconditions } from '../../http/response/preconditions.ts'
import { sendTagged, toContentType, toTaggedText } from '../../http/response/send.ts'
import { withParameterErrors } from '../../lists/parameters.ts'
import { takePageFlash } from '../../site/flash.ts'
import type { StoredRecord } from '../../stores/records/records.ts'
import { assertFound, sortTypes, toRecordId } from '../context.ts'
import type { Handler, ResourceContext } from '../context.ts'
import { patchTypes, type Resource } from '../definition.ts'
import { findNeeded } from '../learned-fields.ts'
import { findListParameters } from '../list/list-parameters.ts'
import { parseFields } from '../list/list-query.ts'
import { loadEmbedded, parseEmbeds } from '../relations/embed.ts'
import { loadRelatedHtml } from '../relations/related-html.ts'
import {
  recordToContent,
  recordTypes,
  sendRecord,
  toRepresentation,
  toTag,
} from './representations.ts'
import type { RecordType, ShownRecord } from './representations.ts'

export function show(base: ResourceContext): Handler {
  const { collection, relations } = base
  // The store caches records: one that has not changed is the same object.
  const prepared = new WeakMap<StoredRecord, Partial<Record<RecordType, PreparedRecord>>>()
  const findPrepared = (shown: ShownRecord) => {
    let ofRecord = prepared.get(shown.record)
    if (ofRecord === undefined) prepared.set(shown.record, (ofRecord = {}))
    return (ofRecord[shown.type] ??= prepareRecord(shown))
  }
  const types = sortTypes(base.resource, recordTypes)
  return (request, reply) => {
    const type = chooseType(request, reply, types)
    const isRelated =
      embedOrFields.test(request.url) || (type === 'text/html' && relations.length > 0)
    if (isRelated) return sendRelated(reply, base, type)
    const id = toRecordId(base.resource, request)
    const send = (found: StoredRecord | undefined, context: ResourceContext) => {
      const record = assertFound(context.resource, id, found)
      const shown = { context, record, type }
      // The page has the links of the sandbox, of which others may have the same record.
      const isOwn = type === 'text/html' && request.raw.sandbox !== undefined
      return sendFound(request, reply, isOwn ? prepareRecord(shown) : findPrepared(shown))
    }
    const [found, context] = [collection.find(id), findNeeded(base, request, type)]
    if (!(found instanceof Promise || context instanceof Promise)) return send(found, context)
    return Promise.all([found, context]).then((both) => send(...both))
  }
}

const embedOrFields = /[?&](_?(embed|expand)|fields)(\[\d*\])?=/

/** The tag depends on the other records and on the fields too. */
async function sendRelated(reply: FastifyReply, base: ResourceContext, type: RecordType) {
  const { request } = reply
  const context = await findNeeded(base, request, type)
  const { resource, collection } = context
  const query = parseRecordQuery(context, request)
  const id = toRecordId(resource, request)
  const record = assertFound(resource, id, await collection.find(id))
  reply.headers(toCommonHeaders(resource))
  const flash = takePageFlash(request, reply, { type })
  if (type === 'application/json') {
    const toMembers = await loadEmbedded([record], query.embeds)
    const shown = { ...toRepresentation(resource, record, query.fields), ...toMembers(record) }
    return sendTagged(request, reply, toTaggedText(type, JSON.stringify(shown)))
  }
  const related = type === 'text/html' ? await loadRelatedHtml(context, record) : undefined
  const page = { context, record, type, flash, related }
  // A page with a message is not to be revalidated.
  if (flash) return sendRecord(reply, page)
  return sendTagged(request, reply, toTaggedText(type, recordToContent(reply, page)))
}

function parseRecordQuery(context: ResourceContext, request: FastifyRequest) {
  return withParameterErrors(request, () => {
    const parameters = findListParameters(context.resource, request)
    const fields = parameters.get('fields')
    return {
      embeds: parseEmbeds(context, parameters) ?? new Map<never, never>(),
      fields: fields && parseFields(context.resource, fields),
    }
  })
}

interface PreparedRecord extends ShownRecord {
  etag: string
  lastModified: Date
  headers: Readonly<Record<string, string>>
  content?: string
}

const toCommonHeaders = ({ isValue }: Resource) => ({
  'cache-control': 'private, no-cache',
  ...(!isValue && { 'accept-patch': patchTypes.join(', ') }),
})

function prepareRecord(shown: ShownRecord): PreparedRecord {
  const etag = toTag(shown.record, shown.type)
  const lastModified = new Date(shown.record.updatedAt)
  const headers = {
    etag,
    'last-modified': lastModified.toUTCString(),
    ...toCommonHeaders(shown.context.resource),
  }
  return { ...shown, etag, lastModified, headers }
}

function sendFound(request: FastifyRequest, reply: FastifyReply, prepared: PreparedRecord) {
  reply.headers(prepared.headers)
  const hasCurrent = assertPreconditions(request.raw, prepared) === 'not modified'
  const flash = takePageFlash(request, reply, prepared)
  if (flash) return sendRecord(reply, { ...prepared, flash })
  // A page with a message is not the one that the client has stored.
  if (hasCurrent) return reply.code(304).send()
  prepared.content ??= recordToContent(reply, prepared)
  return reply.type(toContentType(prepared.type)).send(prepared.content)
}
