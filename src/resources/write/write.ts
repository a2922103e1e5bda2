import { toLink } from '../../http/request/target.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { hashPassword } from '../../auth/passwords.ts'
import { badRequest, HttpError } from '../../http/errors/http-error.ts'
import { chooseType } from '../../http/negotiation/negotiate.ts'
import { applyPreference } from '../../http/negotiation/prefer.ts'
import {
  hasPrecondition,
  mayWrite,
  preconditionFailed,
  type Conditional,
} from '../../http/response/preconditions.ts'
import { sendJson } from '../../http/response/send.ts'
import { createId } from '../../stores/create-id.ts'
import { findClaimedId } from '../../idempotency/replay-responses.ts'
import { setFlash } from '../../site/flash.ts'
import { nameIgnored } from '../../http/response/ignored-fields.ts'
import { renderNotice } from '../../site/page.ts'
import { sendPage } from '../../site/send-page.ts'
import type { Document, StoredRecord } from '../../stores/records/records.ts'
import { assertFound, sortTypes, toRecordId, toRecordPath } from '../context.ts'
import type { FindFixed, Handler, ResourceContext } from '../context.ts'
import type { Resource } from '../definition.ts'
import { findValue } from '../field-values.ts'
import { findNeeded } from '../learned-fields.ts'
import { renderCreated } from '../record/record-page.ts'
import { recordTypes, sendRecord, toTag, type ShownRecord } from '../record/representations.ts'
import { loadRelatedHtml } from '../relations/related-html.ts'
import { createNumbered, parseId, toStored } from './create-numbered.ts'
import { findNextForm } from './forms.ts'
import { writeRecord } from './write-record.ts'
import { hasFields, mergeInput, parseInput, toDefaults } from './input.ts'
import { parsePatch } from './parse-patch.ts'

const jsonFirst = ['application/json', 'text/html'] as const

export function create(base: ResourceContext, findFixed?: FindFixed): Handler {
  const types = sortTypes(base.resource, jsonFirst)
  return async (request, reply) => {
    const type = chooseType(request, reply, types)
    const context = await findNeeded(base, request, type)
    const { resource } = context
    // RFC 9110 §13.1: the list exists, and has no tag.
    if (!mayWrite(request.raw, { etags: [] })) throw preconditionFailed(request.headers)
    const isStrict = applyPreference(request, reply, 'handling=strict')
    const given = parseInput(context, request)
    const input = { ...given, fields: { ...given.fields, ...(await findFixed?.(request)) } }
    nameIgnored(reply, given.ignored)
    const document = mergeInput(resource, toDefaults(resource), { ...input, isStrict })
    const hashed = await createHasher(resource)(document)
    const record = await createRecord(context, findClaimedId(request) ?? createId(), hashed)
    reply.code(201).header('location', toRecordPath(resource, record.id))
    reply.header('etag', toTag(record, type))
    if (applyPreference(request, reply, 'return=minimal')) return reply.send()
    const next = type === 'text/html' && (await findNextForm(context, request, record))
    if (next) return sendPage(reply, next)
    return sendWritten(reply, context, { record, type, flash: renderCreated(resource, record) })
  }
}

export function update(base: ResourceContext): Handler {
  return async (request, reply) => {
    const type = chooseType(request, reply, jsonFirst)
    const context = await findNeeded(base, request, type)
    const { resource } = context
    const isStrict = applyPreference(request, reply, 'handling=strict')
    const id = toRecordId(resource, request)
    const hash = createHasher(resource)
    const record = await writeRecord(context, id, async (found) => {
      const current = assertFound(resource, id, found)
      const patch = parsePatch(context, request)
      assertMayWrite(request, context, current)
      const input = patch(current)
      nameIgnored(reply, input.ignored)
      const merged = mergeInput(resource, current.document, { ...input, isStrict })
      return hasFields(input) ? hash(merged, input.fields) : current.document
    })
    const redirect = toRecordPath(resource, id)
    if (type === 'text/html') {
      setFlash(request, reply, 'saved')
      return reply.redirect(redirect, 303)
    }
    reply.header('etag', toTag(record))
    if (applyPreference(request, reply, 'return=minimal')) return reply.code(204).send()
    const isRecord = applyPreference(request, reply, 'return=representation')
    if (isRecord || !resource.usesEnvelope)
      return sendRecord(reply.header('content-location', redirect), { context, record, type })
    return sendJson(reply, toEnvelope({ redirect: toLink(request.raw, redirect) }))
  }
}

export function destroy(context: ResourceContext): Handler {
  const { resource } = context
  return async (request, reply) => {
    const type = chooseType(request, reply, jsonFirst)
    const id = toRecordId(resource, request)
    await writeRecord(context, id, (current) => {
      assertMayWrite(request, context, assertFound(resource, id, current))
      return undefined
    })
    if (applyPreference(request, reply, 'return=minimal')) return reply.code(204).send()
    if (type === 'text/html') {
      setFlash(request, reply, 'deleted')
      return reply.redirect(resource.path, 303)
    }
    return resource.usesEnvelope ? sendJson(reply, toEnvelope({})) : reply.code(204).send()
  }
}

/** The original API has the text of a deletion for an update too. */
export function toEnvelope(data: { redirect?: string }) {
  return { data, status: { code: 0, msg: 'delete success' } }
}

/** Replaces the record with this id, or creates it: 200 or 201 (RFC 9110 §9.3.4). */
export function replace(base: ResourceContext): Handler {
  return async (request, reply) => {
    const type = chooseType(request, reply, jsonFirst)
    const context = await findNeeded(base, request, type)
    const { resource } = context
    if (request.headers['content-range'] !== undefined)
      throw badRequest('PUT replaces the whole record: Content-Range is not supported.')
    const isStrict = applyPreference(request, reply, 'handling=strict')
    const input = parseInput(context, request)
    nameIgnored(reply, input.ignored)
    const id = toRecordId(resource, request)
    const hash = createHasher(resource)
    const record = await writeRecord(context, id, async (current) => {
      assertMayWrite(request, context, current)
      const kept = { ...toDefaults(resource), ...keepFixed(resource, id, current) }
      return hash(mergeInput(resource, kept, { ...input, isStrict }), input.fields)
    })
    // RFC 9110 §9.3.4: no ETag, since the record is not stored as it was sent, byte for byte.
    const isNew = record.version === 1
    if (resource.isValue) reply.header('etag', toTag(record))
    if (isNew) reply.code(201).header('location', toRecordPath(resource, id))
    if (applyPreference(request, reply, 'return=minimal'))
      return isNew ? reply.send() : reply.code(204).send()
    const flash = isNew ? renderCreated(resource, record) : renderNotice('Saved.')
    return sendWritten(reply, context, { record, type, flash })
  }
}

type Written = Omit<ShownRecord, 'context' | 'related'>

async function sendWritten(reply: FastifyReply, context: ResourceContext, written: Written) {
  const { type, record } = written
  const related = type === 'text/html' ? await loadRelatedHtml(context, record) : undefined
  return sendRecord(reply, { ...written, context, related })
}

export function assertMayWrite(
  { headers, raw }: { headers: FastifyRequest['headers']; raw: Conditional },
  { config }: ResourceContext,
  record: StoredRecord | undefined,
): void {
  const state = record && {
    etags: recordTypes.map((type) => toTag(record, type)),
    lastModified: new Date(record.updatedAt),
  }
  if (!mayWrite(raw, state)) throw preconditionFailed(headers, record && toTag(record))
  const isRequired = config.requireIfMatch && record !== undefined
  if (!isRequired || hasPrecondition(headers)) return
  throw new HttpError('precondition-required', 'Send If-Match with the ETag of the current state.')
}

/** What a PUT does not change: the id, if it is stored, and the fields that are read-only or not shown. */
function keepFixed(resource: Resource, id: string, current?: StoredRecord) {
  const { fixed, passwords, storesId, idName } = resource
  const kept = [...fixed, ...passwords.map(({ name }) => name)]
  const { document = storesId ? { [idName]: parseId(resource, id) } : {} } = current ?? {}
  return Object.fromEntries(Object.entries(document).filter(([name]) => kept.includes(name)))
}

/** An earlier request with the same Idempotency-Key may have created the record. */
export async function createRecord(context: ResourceContext, id: string, document: Document) {
  const { resource, collection } = context
  const { hasNumericIds, idName, storesId } = resource
  if (hasNumericIds) return createNumbered(context, document)
  const stored = storesId ? { [idName]: id, ...document } : document
  const record = { id, document: stored, createdAt: new Date().toISOString() }
  if (await collection.create(record)) return toStored(record)
  return assertFound(resource, id, await collection.find(id))
}

export function createHasher({ passwords }: Resource) {
  const hashes = new Map<string, Promise<string>>()
  return async (document: Document, given = document): Promise<Document> => {
    const hashed: [string, string][] = []
    for (const { name } of passwords) {
      const password = findValue(given, name)
      if (typeof password !== 'string') continue
      const hash = hashes.get(password) ?? hashPassword(password)
      hashes.set(password, hash)
      hashed.push([name, await hash])
    }
    return { ...document, ...Object.fromEntries(hashed) }
  }
}
