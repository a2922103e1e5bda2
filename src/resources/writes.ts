import type { FastifyReply, FastifyRequest } from 'fastify'
import { v7 as createId } from 'uuid'
import { findClaimedId } from '../http/idempotency.ts'
import { chooseType } from '../http/negotiate.ts'
import { applyPreference } from '../http/prefer.ts'
import { badRequest, Refusal, type FieldProblem } from '../http/refusal.ts'
import { sendJson, sendPage } from '../http/send.ts'
import { preferredForm } from '../http/send-refusal.ts'
import {
  changeRecord,
  createHasher,
  createRecord,
  mergeInput,
  passwordsOf,
  putRecord,
  removeRecord,
} from './changes.ts'
import { loadRecord, toId, unknownId, type Handler, type ResourceContext } from './context.ts'
import { parseInput } from './input.ts'
import { parsePatch } from './patches.ts'
import { refuseUnexpected } from './preconditions.ts'
import { sendRecord } from './reads.ts'
import { toTag, toValidators } from './validators.ts'
import { formPage, type RecordForm } from './views.ts'

// The seed says that update and destroy answer with the same delete-success text (seed, "JSON
// envelope"); it insists, and so both do.
const successStatus = { code: 0, msg: 'delete success' } as const

/** 201 with the created record. */
export function create(context: ResourceContext): Handler {
  const { resource } = context
  return async (request, reply) => {
    const type = chooseType(request, reply, ['text/html', 'application/json'])
    const findStrange = createStrictness(request, reply)
    const input = parseInput(resource, request)
    const form = () => ({ _action: 'new' as const, values: input.fields })
    return orFormAgain(request, reply, context, form, async () => {
      const problems = findStrange(input.strangers)
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
      return sendRecord(reply, context, { type, record })
    })
  }
}

/** Changes the fields that the request names and no others. */
export function update(context: ResourceContext): Handler {
  const { resource } = context
  return async (request, reply) => {
    const type = chooseType(request, reply, ['application/json', 'text/html'])
    const findStrange = createStrictness(request, reply)
    const id = toId(request)
    const stored = await loadRecord(context, id)
    const patch = parsePatch(resource, request)
    const hash = createHasher(resource)
    const form = () => ({
      _action: 'edit' as const,
      id,
      etag: request.headers['if-match'] ?? toTag(stored),
      values: { ...stored.document, ...patch(stored).fields },
    })
    return orFormAgain(request, reply, context, form, async () => {
      const record = await changeRecord(context, stored, async (current) => {
        refuseUnexpected(request, context, current)
        const { fields, problems, strangers } = patch(current)
        const all = [...problems, ...findStrange(strangers)]
        const document = mergeInput(resource, current.document, { fields, problems: all })
        return hash(document, fields)
      })
      const redirect = `${resource.path}/${id}`
      if (type === 'text/html') return reply.redirect(redirect, 303)
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
    await removeRecord(context, toId(request), (current) => {
      refuseUnexpected(request, context, current)
    })
    if (applyPreference(request, reply, 'return=minimal')) return reply.code(204).send()
    if (type === 'text/html') return reply.redirect(resource.path, 303)
    return sendJson(reply, { data: {}, status: successStatus })
  }
}

/** Replaces the record of this id, or creates it: 200 or 201 (RFC 9110 §9.3.4). */
export function replace(context: ResourceContext): Handler {
  const { resource } = context
  return async (request, reply) => {
    const type = chooseType(request, reply, ['application/json', 'text/html'])
    const id = toId(request)
    if (!canBeId(id)) throw unknownId(resource, id)
    if (request.headers['content-range'] !== undefined) {
      // RFC 9110 §14.5
      throw badRequest('PUT replaces the whole record: Content-Range has no place in it.')
    }
    const findStrange = createStrictness(request, reply)
    const input = parseInput(resource, request)
    const hash = createHasher(resource)
    const record = await putRecord(context, id, async (current) => {
      refuseUnexpected(request, context, current)
      const problems = findStrange(input.strangers)
      const document = mergeInput(resource, passwordsOf(resource, current), { ...input, problems })
      return hash(document, input.fields)
    })
    // No ETag: what is kept is not what was sent, byte for byte (RFC 9110 §9.3.4).
    const isNew = record.version === 1
    if (isNew) reply.code(201).header('location', `${resource.path}/${id}`)
    if (applyPreference(request, reply, 'return=minimal')) {
      return isNew ? reply.send() : reply.code(204).send()
    }
    return sendRecord(reply, context, { type, record })
  }
}

/** The ids that a client may choose; `new` and `post` are paths of their own. */
function canBeId(id: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(id) && id !== 'new' && id !== 'post'
}

/** What is wrong with names that the resource does not have: nothing, but where strictness is asked. */
function createStrictness(request: FastifyRequest, reply: FastifyReply) {
  const isStrict = applyPreference(request, reply, 'handling=strict')
  return (strangers: readonly string[]): readonly FieldProblem[] =>
    isStrict ? strangers.map((field) => ({ field, message: 'is not a field here' })) : []
}

/** Whoever sent a form gets it back with the messages; everyone else the refusal. */
async function orFormAgain(
  request: FastifyRequest,
  reply: FastifyReply,
  { resource }: ResourceContext,
  form: () => RecordForm,
  write: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await write()
  } catch (error) {
    const isOfFields = error instanceof Refusal && error.fields.length > 0
    if (!isOfFields || preferredForm(request, reply) !== 'html') throw error
    const page = formPage(resource, { ...form(), problems: error.fields })
    return sendPage(reply.code(error.status).header('cache-control', 'no-store'), page)
  }
}
