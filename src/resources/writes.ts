import type { FastifyReply, FastifyRequest } from 'fastify'
import { v7 as createId } from 'uuid'
import { chooseType } from '../http/negotiate.ts'
import { applyPreference } from '../http/prefer.ts'
import { conflict, unprocessable, type FieldProblem } from '../http/refusal.ts'
import { sendJson, sendPage } from '../http/send.ts'
import { preferredForm } from '../http/send-refusal.ts'
import type { Document, StoredRecord } from '../storage/records/records.ts'
import { loadRecord, toId, unknownId, type Handler, type ResourceContext } from './context.ts'
import type { Resource } from './definition.ts'
import { findProblems, parseInput, type Input } from './input.ts'
import { hashPassword } from './passwords.ts'
import { sendRecord } from './reads.ts'
import { formPage, type RecordForm } from './views.ts'

// The seed says that update and destroy answer with the same delete-success text (seed, "JSON
// envelope"); it insists, and so both do.
const successStatus = { code: 0, msg: 'delete success' } as const

/** 201 with the created record. */
export function create(context: ResourceContext): Handler {
  const { resource } = context
  return async (request, reply) => {
    const type = chooseType(request, reply, ['text/html', 'application/json'])
    const input = readInput(request, reply, resource)
    const given = withoutAbsent(input.fields)
    const problems = [...input.problems, ...findProblems(resource, given)]
    if (problems.length > 0) {
      return sendInvalid(request, reply, {
        resource,
        form: { _action: 'new', values: input.fields, problems },
      })
    }
    const document = await hashPasswords(resource, given)
    const record = await createRecord(context, createId(), document)
    if (record === undefined) throw new Error('a fresh id was taken')
    reply.code(201).header('location', `${resource.path}/${record.id}`)
    return sendRecord(reply, context, { type, record })
  }
}

/** Changes the fields that the request names and no others. */
export function update(context: ResourceContext): Handler {
  const { resource } = context
  return async (request, reply) => {
    const type = chooseType(request, reply, ['application/json', 'text/html'])
    const id = toId(request)
    const stored = await loadRecord(context, id)
    const input = readInput(request, reply, resource)
    const problems = [
      ...input.problems,
      ...findProblems(resource, withoutAbsent({ ...stored.document, ...input.fields })),
    ]
    if (problems.length > 0) {
      const values = { ...stored.document, ...input.fields }
      return sendInvalid(request, reply, {
        resource,
        form: { _action: 'edit', id, values, problems },
      })
    }
    const changes = await hashPasswords(resource, input.fields)
    await untilWritten(id, async () => {
      const current = await loadRecord(context, id)
      // What another request wrote meanwhile may not go with this one.
      const document = toValid(resource, { ...current.document, ...changes })
      return changeRecord(context, current, document)
    })
    const location = `${resource.path}/${id}`
    if (type === 'text/html') return reply.redirect(location, 303)
    return sendJson(reply, { data: { redirect: location }, status: successStatus })
  }
}

export function destroy({ resource, records }: ResourceContext): Handler {
  return async (request, reply) => {
    const type = chooseType(request, reply, ['application/json', 'text/html'])
    const id = toId(request)
    if (!(await records.remove(resource.name, id))) throw unknownId(resource, id)
    if (applyPreference(request, reply, 'return=minimal')) return reply.code(204).send()
    if (type === 'text/html') return reply.redirect(resource.path, 303)
    return sendJson(reply, { data: {}, status: successStatus })
  }
}

/** Replaces the record of this id, or creates it: 200 or 201 (RFC 9110 §9.3.4). */
export function replace(context: ResourceContext): Handler {
  const { resource, records } = context
  return async (request, reply) => {
    const type = chooseType(request, reply, ['application/json', 'text/html'])
    const id = toId(request)
    if (!canBeId(id)) throw unknownId(resource, id)
    const input = readInput(request, reply, resource)
    const stored = await records.find(resource.name, id)
    const problems = [
      ...input.problems,
      ...findProblems(
        resource,
        withoutAbsent({ ...passwordsOf(resource, stored), ...input.fields }),
      ),
    ]
    if (problems.length > 0) throw unprocessable(problems)
    const given = await hashPasswords(resource, input.fields)
    const record = await untilWritten(id, async () => {
      const current = await records.find(resource.name, id)
      const document = toValid(resource, { ...passwordsOf(resource, current), ...given })
      return current
        ? changeRecord(context, current, document)
        : createRecord(context, id, document)
    })
    const isNew = record.version === 1
    if (isNew) reply.code(201).header('location', `${resource.path}/${id}`)
    return sendRecord(reply, context, { type, record })
  }
}

/** The ids that a client may choose; `new` and `post` are paths of their own. */
function canBeId(id: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(id) && id !== 'new' && id !== 'post'
}

/** The content of a write, and what `Prefer: handling=strict` finds wrong with it. */
function readInput(
  request: FastifyRequest,
  reply: FastifyReply,
  resource: Resource,
): Input & { problems: readonly FieldProblem[] } {
  const input = parseInput(resource, request)
  if (!applyPreference(request, reply, 'handling=strict')) return { ...input, problems: [] }
  const problems = input.strangers.map((field) => ({ field, message: 'is not a field here' }))
  return { ...input, problems }
}

/** Whoever sent a form gets it back with the messages; everyone else the refusal. */
function sendInvalid(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    resource,
    form,
  }: { resource: Resource; form: RecordForm & { problems: readonly FieldProblem[] } },
): FastifyReply {
  if (preferredForm(request, reply) !== 'html') throw unprocessable(form.problems)
  return sendPage(reply.code(422), formPage(resource, form))
}

/** Again when another request was quicker: every round that one loses, another has won. */
async function untilWritten(
  id: string,
  attempt: () => Promise<StoredRecord | undefined>,
): Promise<StoredRecord> {
  for (let round = 1; round <= 100; round += 1) {
    const record = await attempt()
    if (record !== undefined) return record
  }
  throw conflict(`Too many others are changing ${id}.`)
}

/** Undefined when the id was taken meanwhile. */
async function createRecord(
  { resource, records }: ResourceContext,
  id: string,
  document: Document,
): Promise<StoredRecord | undefined> {
  const now = new Date().toISOString()
  const record = { id, document, version: 1, createdAt: now, updatedAt: now }
  return (await records.create(resource.name, record)) ? record : undefined
}

/** Undefined when the record was changed or removed meanwhile. */
async function changeRecord(
  { resource, records }: ResourceContext,
  current: StoredRecord,
  document: Document,
): Promise<StoredRecord | undefined> {
  const change = { ...current, document, updatedAt: new Date().toISOString() }
  const isChanged = await records.change(resource.name, change)
  return isChanged ? { ...change, version: current.version + 1 } : undefined
}

function toValid(resource: Resource, document: Document): Document {
  const present = withoutAbsent(document)
  const problems = findProblems(resource, present)
  if (problems.length > 0) throw unprocessable(problems)
  return present
}

async function hashPasswords({ fields }: Resource, document: Document): Promise<Document> {
  const hashed: Record<string, unknown> = { ...document }
  for (const { name, kind } of fields) {
    if (kind !== 'password') continue
    const password = document[name]
    if (typeof password === 'string') hashed[name] = await hashPassword(password)
  }
  return hashed
}

/** No representation shows a password, so replacing a record by one keeps what it cannot say. */
function passwordsOf({ fields }: Resource, record: StoredRecord | undefined): Document {
  const passwords = fields.filter(({ kind }) => kind === 'password')
  return withoutAbsent(
    Object.fromEntries(passwords.map(({ name }) => [name, record?.document[name]])),
  )
}

function withoutAbsent(document: Document): Document {
  return Object.fromEntries(Object.entries(document).filter(([, value]) => value !== undefined))
}
