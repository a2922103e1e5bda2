import type { FastifyReply, FastifyRequest } from 'fastify'
import { randomUUID } from 'node:crypto'
import { v7 as createId } from 'uuid'
import { notice, setFlash } from '../../site/flash.ts'
import type { Html } from '../../site/html.ts'
import { findClaimedId } from '../../idempotency/idempotency-key.ts'
import { hasStatePrecondition, mayWriteResource } from '../../http/response/preconditions.ts'
import { chooseType } from '../../http/negotiation/negotiate.ts'
import { applyPreference } from '../../http/request/prefer.ts'
import {
  badRequest,
  preconditionFailed,
  preconditionRequired,
  type FieldProblem,
  type HttpError,
} from '../../http/errors/http-error.ts'
import { sendJson } from '../../http/response/send.ts'
import type { StoredRecord } from '../../stores/records/records.ts'
import {
  changeRecord,
  createHasher,
  createRecord,
  findPasswords,
  mergeInput,
  putRecord,
  removeRecord,
} from './changes.ts'
import { removalConflictPage } from './conflict-page.ts'
import { loadRecord, toId, type Handler, type ResourceContext } from '../context.ts'
import type { Resource } from '../definition.ts'
import { formPage } from './form-page.ts'
import { parseInput, type Input } from './input.ts'
import { parsePatch } from './patches.ts'
import { sendRecord } from '../record/show.ts'
import { renderFormOnError, editFormAfterError } from './form-errors.ts'
import { toState, toTag, toValidators } from '../record/validators.ts'

// The seed ("JSON envelope") has the text of a deletion for both.
const successStatus = { code: 0, msg: 'delete success' } as const

/** 201 with the created record. */
export function create(context: ResourceContext): Handler {
  const { resource, config } = context
  return async (request, reply) => {
    const type = chooseType(request, reply, ['text/html', 'application/json'])
    // RFC 9110 §13.1: the list exists, and has no tag.
    if (!mayWriteResource(request.headers, { etags: [] })) throw preconditionFailed()
    const findAllProblems = createStrictness(request, reply)
    const input = parseInput(resource, request, config)
    const formAgain = ({ fields: problems }: HttpError) =>
      problems.length === 0
        ? undefined
        : formPage(resource, { _action: 'new', key: randomUUID(), values: input.fields, problems })
    return renderFormOnError(request, reply, formAgain, async () => {
      const problems = findAllProblems(input)
      const document = mergeInput(resource, {}, { ...input, problems })
      const hashed = await createHasher(resource)(document, document)
      const record = await createOnce(context, findClaimedId(request), hashed)
      reply.code(201).header('location', `${resource.path}/${record.id}`)
      reply.header('etag', toValidators(record, type).etag)
      if (applyPreference(request, reply, 'return=minimal')) return reply.send()
      return sendRecord(reply, { resource, type, record, flash: createdNotice(resource) })
    })
  }
}

/** An earlier request with the same Idempotency-Key may have created the record already. */
async function createOnce(
  context: ResourceContext,
  claimedId: string | undefined,
  document: StoredRecord['document'],
): Promise<StoredRecord> {
  const id = claimedId ?? createId()
  return (await createRecord(context, id, document)) ?? loadRecord(context, id)
}

/** Changes only the fields that the request names. */
export function update(context: ResourceContext): Handler {
  const { resource, config } = context
  return async (request, reply) => {
    const type = chooseType(request, reply, ['application/json', 'text/html'])
    const findAllProblems = createStrictness(request, reply)
    const id = toId(request)
    let current = await loadRecord(context, id)
    const patch = parsePatch(resource, request, config)
    const hash = createHasher(resource)
    const pageAgain = (error: HttpError) =>
      editFormAfterError(context, request, error, { current, patch })
    return renderFormOnError(request, reply, pageAgain, async () => {
      const record = await changeRecord(context, current, async (met) => {
        current = met
        assertPreconditions(request, context, met)
        const input = patch(met)
        const problems = findAllProblems(input)
        const document = mergeInput(resource, met.document, { ...input, problems })
        return hash(document, input.fields)
      })
      return sendUpdated(request, reply, { resource, record, type })
    })
  }
}

function sendUpdated(
  request: FastifyRequest,
  reply: FastifyReply,
  updated: { resource: Resource; record: StoredRecord; type: 'application/json' | 'text/html' },
): FastifyReply {
  const redirect = `${updated.resource.path}/${updated.record.id}`
  if (updated.type === 'text/html') {
    setFlash(request, reply, 'saved')
    return reply.redirect(redirect, 303)
  }
  reply.header('etag', toTag(updated.record))
  if (applyPreference(request, reply, 'return=minimal')) return reply.code(204).send()
  if (applyPreference(request, reply, 'return=representation')) {
    return sendRecord(reply.header('content-location', redirect), updated)
  }
  return sendJson(reply, { data: { redirect }, status: successStatus })
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

/** Replaces the record with this id, or creates it: 200 or 201 (RFC 9110 §9.3.4). */
export function replace(context: ResourceContext): Handler {
  const { resource, config } = context
  return async (request, reply) => {
    const type = chooseType(request, reply, ['application/json', 'text/html'])
    const id = toId(request)
    // RFC 9110 §14.5
    if (request.headers['content-range'] !== undefined) {
      throw badRequest('PUT replaces the whole record: Content-Range is not supported.')
    }
    const findAllProblems = createStrictness(request, reply)
    const input = parseInput(resource, request, config)
    const hash = createHasher(resource)
    const record = await putRecord(context, id, async (current) => {
      assertPreconditions(request, context, current)
      const problems = findAllProblems(input)
      const passwords = current ? findPasswords(resource, current) : {}
      return hash(mergeInput(resource, passwords, { ...input, problems }), input.fields)
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

/**
 * Throws 412 where the record is not in the state that the request expects, and 428 where the
 * request should expect one (`REQUIRE_IF_MATCH`).
 */
function assertPreconditions(
  { headers }: FastifyRequest,
  { config }: ResourceContext,
  record: StoredRecord | undefined,
): void {
  if (!mayWriteResource(headers, record && toState(record))) {
    throw preconditionFailed(record && toTag(record))
  }
  const isRequired = config.requireIfMatch && record !== undefined
  if (isRequired && !hasStatePrecondition(headers)) throw preconditionRequired()
}

/** RFC 7240 §4.4: unknown fields are a problem only with `handling=strict`. */
function createStrictness(request: FastifyRequest, reply: FastifyReply) {
  const isStrict = applyPreference(request, reply, 'handling=strict')
  return ({ problems, unknownFields }: Input): readonly FieldProblem[] =>
    isStrict
      ? [...problems, ...unknownFields.map((field) => ({ field, message: 'is an unknown field' }))]
      : problems
}

function createdNotice({ singular }: Resource): Html {
  return notice(`${singular.charAt(0).toUpperCase()}${singular.slice(1)} created.`)
}
