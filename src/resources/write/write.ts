import type { FastifyReply, FastifyRequest } from 'fastify'
import { randomUUID } from 'node:crypto'
import { v7 as createId } from 'uuid'
import { notice, setFlash } from '../../site/flash.ts'
import type { Html } from '../../site/html.ts'
import { findClaimedId } from '../../idempotency/idempotency-key.ts'
import { mayWriteResource } from '../../http/response/preconditions.ts'
import { chooseType } from '../../http/negotiation/negotiate.ts'
import { applyPreference } from '../../http/request/prefer.ts'
import {
  badRequest,
  type FieldProblem,
  preconditionFailed,
  type HttpError,
} from '../../http/errors/http-error.ts'
import { sendJson } from '../../http/response/send.ts'
import type { StoredRecord } from '../../stores/records/records.ts'
import {
  changeRecord,
  createHasher,
  createRecord,
  mergeInput,
  passwordsOf,
  putRecord,
  removeRecord,
} from './changes.ts'
import { removalConflictPage } from './conflict-page.ts'
import { loadRecord, toId, type Handler, type ResourceContext } from '../context.ts'
import type { Resource } from '../definition.ts'
import { formPage } from './form-page.ts'
import { parseInput } from './input.ts'
import { parsePatch } from './patches.ts'
import { assertPreconditions } from './write-preconditions.ts'
import { sendRecord } from '../record/show.ts'
import { renderFormOnError, editFormAfterError } from './form-errors.ts'
import { toTag, toValidators } from '../record/validators.ts'

// The seed says that update and destroy answer with the same delete-success text (seed, "JSON
// envelope"); it insists, and so both do.
const successStatus = { code: 0, msg: 'delete success' } as const

/** 201 with the created record. */
export function create(context: ResourceContext): Handler {
  const { resource } = context
  return async (request, reply) => {
    const type = chooseType(request, reply, ['text/html', 'application/json'])
    // The list is there, whatever it holds, and has no tag (RFC 9110 §13.1).
    if (!mayWriteResource(request.headers, { etags: [] })) throw preconditionFailed()
    const findStrange = createStrictness(request, reply)
    const input = parseInput(resource, request)
    const formAgain = ({ fields: problems }: HttpError) =>
      problems.length === 0
        ? undefined
        : formPage(resource, { _action: 'new', key: randomUUID(), values: input.fields, problems })
    return renderFormOnError(request, reply, formAgain, async () => {
      const problems = findStrange(input.unknownFields)
      const document = mergeInput(resource, {}, { ...input, problems })
      const hashed = await createHasher(resource)(document, document)
      // An earlier attempt with this Idempotency-Key may have come so far, and no further.
      const claimedId = findClaimedId(request)
      const record =
        (await createRecord(context, claimedId ?? createId(), hashed)) ??
        (claimedId && (await loadRecord(context, claimedId)))
      if (!record) throw new Error('a fresh id was taken')
      reply.code(201).header('location', `${resource.path}/${record.id}`)
      reply.header('etag', toValidators(record, type).etag)
      if (applyPreference(request, reply, 'return=minimal')) return reply.send()
      return sendRecord(reply, context, { type, record, flash: created(resource) })
    })
  }
}

/** Changes the fields that the request names and no others. */
export function update(context: ResourceContext): Handler {
  const { resource, config } = context
  return async (request, reply) => {
    const type = chooseType(request, reply, ['application/json', 'text/html'])
    const findStrange = createStrictness(request, reply)
    const id = toId(request)
    const stored = await loadRecord(context, id)
    const patch = parsePatch(resource, request, config)
    const hash = createHasher(resource)
    let met = stored
    const pageAgain = (refusal: HttpError) =>
      editFormAfterError(context, request, refusal, { met, patch })
    return renderFormOnError(request, reply, pageAgain, async () => {
      const record = await changeRecord(context, stored, async (current) => {
        met = current
        assertPreconditions(request, context, current)
        const { fields, problems, unknownFields: strangers } = patch(current)
        const all = [...problems, ...findStrange(strangers)]
        const document = mergeInput(resource, current.document, { fields, problems: all })
        return hash(document, fields)
      })
      const redirect = `${resource.path}/${id}`
      if (type === 'text/html') {
        setFlash(request, reply, 'saved')
        return reply.redirect(redirect, 303)
      }
      reply.header('etag', toTag(record))
      if (applyPreference(request, reply, 'return=minimal')) return reply.code(204).send()
      if (applyPreference(request, reply, 'return=representation')) {
        return sendRecord(reply.header('content-location', redirect), context, { type, record })
      }
      return sendJson(reply, { data: { redirect }, status: successStatus })
    })
  }
}

export function destroy(context: ResourceContext): Handler {
  const { resource } = context
  return async (request, reply) => {
    const type = chooseType(request, reply, ['application/json', 'text/html'])
    let met: StoredRecord | undefined
    const pageAgain = ({ status }: HttpError) =>
      status === 412 && met ? removalConflictPage(resource, met) : undefined
    return renderFormOnError(request, reply, pageAgain, async () => {
      await removeRecord(context, toId(request), (current) => {
        met = current
        assertPreconditions(request, context, current)
      })
      if (applyPreference(request, reply, 'return=minimal')) return reply.code(204).send()
      if (type === 'text/html') {
        setFlash(request, reply, 'deleted')
        return reply.redirect(resource.path, 303)
      }
      return sendJson(reply, { data: {}, status: successStatus })
    })
  }
}

/** Replaces the record of this id, or creates it: 200 or 201 (RFC 9110 §9.3.4). */
export function replace(context: ResourceContext): Handler {
  const { resource } = context
  return async (request, reply) => {
    const type = chooseType(request, reply, ['application/json', 'text/html'])
    const id = toId(request)
    if (request.headers['content-range'] !== undefined) {
      // RFC 9110 §14.5
      throw badRequest('PUT replaces the whole record: Content-Range has no place in it.')
    }
    const findStrange = createStrictness(request, reply)
    const input = parseInput(resource, request)
    const hash = createHasher(resource)
    const record = await putRecord(context, id, async (current) => {
      assertPreconditions(request, context, current)
      const problems = findStrange(input.unknownFields)
      const document = mergeInput(resource, passwordsOf(resource, current), { ...input, problems })
      return hash(document, input.fields)
    })
    // No ETag: what is kept is not what was sent, byte for byte (RFC 9110 §9.3.4).
    const isNew = record.version === 1
    if (isNew) reply.code(201).header('location', `${resource.path}/${id}`)
    if (applyPreference(request, reply, 'return=minimal')) {
      return isNew ? reply.send() : reply.code(204).send()
    }
    const flash = isNew ? created(resource) : notice('Saved.')
    return sendRecord(reply, context, { type, record, flash })
  }
}

/** What is wrong with names that the resource does not have: nothing, but where strictness is asked. */
function createStrictness(request: FastifyRequest, reply: FastifyReply) {
  const isStrict = applyPreference(request, reply, 'handling=strict')
  return (strangers: readonly string[]): readonly FieldProblem[] =>
    isStrict ? strangers.map((field) => ({ field, message: 'is not a field here' })) : []
}

/** What the page of a new record says above it. */
function created({ singular }: Resource): Html {
  return notice(`${singular.charAt(0).toUpperCase()}${singular.slice(1)} created.`)
}
