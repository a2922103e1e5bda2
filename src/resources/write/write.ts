import type { FastifyRequest } from 'fastify'
import {
  badRequest,
  preconditionFailed,
  preconditionRequired,
} from '../../http/errors/http-error.ts'
import { chooseType } from '../../http/negotiation/negotiate.ts'
import { toPathParameter } from '../../http/request/path-parameter.ts'
import { applyPreference } from '../../http/request/prefer.ts'
import { hasStatePrecondition, mayWriteResource } from '../../http/response/preconditions.ts'
import { sendJson } from '../../http/response/send.ts'
import { createId } from '../../idempotency/create-id.ts'
import { findClaimedId } from '../../idempotency/idempotency-key.ts'
import { notice, setFlash } from '../../site/flash.ts'
import type { Html } from '../../site/html.ts'
import type { StoredRecord } from '../../stores/records/records.ts'
import { assertFound, type Handler, type ResourceContext } from '../context.ts'
import type { Resource } from '../definition.ts'
import { findValue } from '../field-values.ts'
import { recordTypes, toTag } from '../record/representations.ts'
import { sendRecord } from '../record/show.ts'
import { createHasher, createRecord, writeRecord } from './changes.ts'
import { parseInput, parsePatch } from './input.ts'
import { mergeInput } from './problems.ts'

const jsonFirst = ['application/json', 'text/html'] as const

export function create(context: ResourceContext): Handler {
  const { resource } = context
  return async (request, reply) => {
    const type = chooseType(request, reply, ['text/html', 'application/json'])
    // RFC 9110 §13.1: the list exists, and has no tag.
    if (!mayWriteResource(request.headers, { etags: [] })) throw preconditionFailed()
    const isStrict = applyPreference(request, reply, 'handling=strict')
    const input = parseInput(context, request)
    const document = mergeInput(resource, {}, input, isStrict)
    const hashed = await createHasher(resource)(document)
    const record = await createRecord(context, findClaimedId(request) ?? createId(), hashed)
    reply.code(201).header('location', `${resource.path}/${record.id}`)
    reply.header('etag', toTag(record, type))
    if (applyPreference(request, reply, 'return=minimal')) return reply.send()
    return sendRecord(reply, { resource, type, record, flash: createdNotice(resource) })
  }
}

export function update(context: ResourceContext): Handler {
  const { resource } = context
  return async (request, reply) => {
    const type = chooseType(request, reply, jsonFirst)
    const isStrict = applyPreference(request, reply, 'handling=strict')
    const id = toPathParameter(request, 'id')
    const hash = createHasher(resource)
    const record = await writeRecord(context, id, async (found) => {
      const current = assertFound(resource, id, found)
      const patch = parsePatch(context, request)
      assertPreconditions(request, context, current)
      const input = patch(current)
      return hash(mergeInput(resource, current.document, input, isStrict), input.fields)
    })
    const redirect = `${resource.path}/${id}`
    if (type === 'text/html') {
      setFlash(request, reply, 'saved')
      return reply.redirect(redirect, 303)
    }
    reply.header('etag', toTag(record))
    if (applyPreference(request, reply, 'return=minimal')) return reply.code(204).send()
    if (applyPreference(request, reply, 'return=representation')) {
      return sendRecord(reply.header('content-location', redirect), { resource, record, type })
    }
    return sendJson(reply, toEnvelope({ redirect }))
  }
}

export function destroy(context: ResourceContext): Handler {
  const { resource } = context
  return async (request, reply) => {
    const type = chooseType(request, reply, jsonFirst)
    const id = toPathParameter(request, 'id')
    await writeRecord(context, id, (current) => {
      assertPreconditions(request, context, assertFound(resource, id, current))
      return undefined
    })
    if (applyPreference(request, reply, 'return=minimal')) return reply.code(204).send()
    if (type === 'text/html') {
      setFlash(request, reply, 'deleted')
      return reply.redirect(resource.path, 303)
    }
    return sendJson(reply, toEnvelope({}))
  }
}

/** The seed ("JSON envelope") has the text of a deletion for an update too. */
export function toEnvelope(data: { redirect?: string }) {
  return { data, status: { code: 0, msg: 'delete success' } }
}

/** Replaces the record with this id, or creates it: 200 or 201 (RFC 9110 §9.3.4). */
export function replace(context: ResourceContext): Handler {
  const { resource } = context
  return async (request, reply) => {
    const type = chooseType(request, reply, jsonFirst)
    // RFC 9110 §14.5
    if (request.headers['content-range'] !== undefined) {
      throw badRequest('PUT replaces the whole record: Content-Range is not supported.')
    }
    const isStrict = applyPreference(request, reply, 'handling=strict')
    const input = parseInput(context, request)
    const id = toPathParameter(request, 'id')
    const hash = createHasher(resource)
    const record = await writeRecord(context, id, async (current) => {
      assertPreconditions(request, context, current)
      // They stay: a representation does not have them.
      const passwords = resource.passwords.map(({ name }): [string, unknown] => {
        return [name, current && findValue(current.document, name)]
      })
      const kept = Object.fromEntries(passwords)
      return hash(mergeInput(resource, kept, input, isStrict), input.fields)
    })
    // RFC 9110 §9.3.4: no ETag, since the record is not stored as it was sent, byte for byte.
    const isNew = record.version === 1
    if (isNew) reply.code(201).header('location', `${resource.path}/${id}`)
    if (applyPreference(request, reply, 'return=minimal')) {
      return isNew ? reply.send() : reply.code(204).send()
    }
    const flash = isNew ? createdNotice(resource) : notice('Saved.')
    return sendRecord(reply, { resource, type, record, flash })
  }
}

function assertPreconditions(
  { headers }: FastifyRequest,
  { config }: ResourceContext,
  record: StoredRecord | undefined,
): void {
  const state = record && {
    etags: recordTypes.map((type) => toTag(record, type)),
    lastModified: new Date(record.updatedAt),
  }
  if (!mayWriteResource(headers, state)) throw preconditionFailed(record && toTag(record))
  const isRequired = config.requireIfMatch && record !== undefined
  if (isRequired && !hasStatePrecondition(headers)) throw preconditionRequired()
}

function createdNotice({ singular }: Resource): Html {
  return notice(`${singular.charAt(0).toUpperCase()}${singular.slice(1)} created.`)
}
