import type { FastifyReply, FastifyRequest } from 'fastify'
import { randomUUID } from 'node:crypto'
import { isForm } from '../../http/body/body-reader.ts'
import { HttpError } from '../../http/errors/http-error.ts'
import { chooseErrorForm } from '../../http/errors/send-error.ts'
import { chooseType } from '../../http/negotiation/negotiate.ts'
import { toQueryText } from '../../http/request/target.ts'
import type { Page } from '../../site/page.ts'
import { sendPage } from '../../site/send-page.ts'
import type { Document, StoredRecord } from '../../stores/records/records.ts'
import { assertFound, toRecordId, type Handler, type ResourceContext } from '../context.ts'
import { findCurrent } from '../learned-fields.ts'
import { renderCreated } from '../record/record-page.ts'
import { toTag } from '../record/representations.ts'
import { loadChoices, loadParentLinks } from '../relations/related-html.ts'
import { renderConflictPage, type Edit } from './conflict-page.ts'
import { parseId } from './create-numbered.ts'
import { renderFormPage, toNewPath, type RecordForm } from './form-page.ts'
import { findMergeProblems, parseInput, toDefaults } from './input.ts'
import { findShown, parsePatch } from './parse-patch.ts'

export function newForm(base: ResourceContext): Handler {
  return async (request, reply) => {
    chooseType(request, reply, ['text/html'])
    const context = await findCurrent(base)
    // Each form has a key of its own, so there is nothing to revalidate.
    reply.header('cache-control', 'private, max-age=0')
    return sendPage(reply, await toFormPage(context, toNewForm(context, request)))
  }
}

function toNewForm(context: ResourceContext, request: FastifyRequest) {
  const references = parseReferences(context, request)
  const values = { ...toDefaults(context.resource), ...references }
  return { _action: 'new', key: randomUUID(), values, references } as const
}

const addsAnother = /[?&]another(=|&|$)/

/** The form for another record after one was created; undefined if the request does not ask for it. */
export async function findNextForm(
  context: ResourceContext,
  request: FastifyRequest,
  record: StoredRecord,
): Promise<Page | undefined> {
  if (!addsAnother.test(request.url)) return undefined
  const form = toNewForm(context, request)
  const own = toNewPath(context.resource, form.references)
  return toFormPage(context, { ...form, flash: renderCreated(context.resource, record, own) })
}

async function toFormPage(context: ResourceContext, form: RecordForm): Promise<Page> {
  return renderFormPage(context.resource, { ...form, choices: await loadChoices(context, form) })
}

/** A link on the page of a parent has the references of a new record. */
function parseReferences({ relations }: ResourceContext, { url }: FastifyRequest): Document {
  const parameters = new URLSearchParams(toQueryText(url))
  const entries = relations.flatMap(({ isToParent, field, other }): [string, unknown][] => {
    const id = isToParent ? parameters.get(field) : null
    return id === null ? [] : [[field, parseId(other.resource, id)]]
  })
  return Object.fromEntries(entries)
}

export function edit(base: ResourceContext): Handler {
  const { resource, collection } = base
  return async (request, reply) => {
    chooseType(request, reply, ['text/html'])
    const id = toRecordId(resource, request)
    const record = assertFound(resource, id, await collection.find(id))
    reply.header('cache-control', 'private, no-cache')
    const stored = record.document
    const form = { _action: 'edit', id, etag: toTag(record), stored, values: stored } as const
    return sendPage(reply, await toFormPage(await findCurrent(base), form))
  }
}

export function sendFormAfterError(context: ResourceContext) {
  return async (error: Error, request: FastifyRequest, reply: FastifyReply) => {
    if (!(error instanceof HttpError) || !wantsPage(request, reply)) throw error
    const page = await findErrorPage(await findCurrent(context), request, error)
    if (page === undefined) throw error
    reply.code(error.status).headers(error.headers).header('cache-control', 'no-store')
    return sendPage(reply, page)
  }
}

/** The script of an edit form accepts JSON and pages: JSON after a success, and the page of an error. */
function wantsPage(request: FastifyRequest, reply: FastifyReply): boolean {
  const isPage = chooseErrorForm(request, reply) === 'html'
  return isPage || (isForm(request) && /\btext\/html\b/.test(request.headers.accept ?? ''))
}

async function findErrorPage(
  context: ResourceContext,
  request: FastifyRequest,
  { status, problem, fields: problems }: HttpError,
): Promise<Page | undefined> {
  const { resource, collection } = context
  const hasProblems = problems.length > 0
  if (request.method === 'POST') {
    // The form is sent again with other values, as after the Back button.
    const isReused = problem === 'idempotency-key-reused'
    if (!isReused && !hasProblems) return undefined
    const { fields: values } = parseInput(context, request)
    const warning = `This form was already sent with other values. Send it again to create another ${resource.singular}.`
    const reason = isReused ? { warning } : { problems }
    return toFormPage(context, { ...toNewForm(context, request), values, ...reason })
  }
  if (status !== 404 && status !== 412 && !hasProblems) return undefined
  const current = await collection.find(toRecordId(resource, request))
  if (current === undefined) return findMissingPage(context, request)
  if (request.method === 'DELETE') return toConflictPage(context, request, { current })
  if (!hasProblems && !isForm(request)) return undefined
  const input = parsePatch(context, request)(current)
  const { fields } = input
  if (!hasProblems) {
    const problems = findMergeProblems(resource, current.document, input)
    const edit = { fields, opened: findShown(context, request), problems }
    return toConflictPage(context, request, { current, edit })
  }
  const etag = request.headers['if-match'] ?? toTag(current)
  const { id, document: stored } = current
  const values = { ...stored, ...fields }
  return toFormPage(context, { _action: 'edit', id, etag, stored, values, problems })
}

/** What was typed in the form of a record that is deleted can become a new record. */
async function findMissingPage(context: ResourceContext, request: FastifyRequest) {
  if (request.method === 'DELETE' || !isForm(request)) return undefined
  const { singular, passwords } = context.resource
  const { fields, problems } = parseInput(context, request)
  const typed = { ...findShown(context, request), ...fields }
  const hidden = passwords.map(({ name }): [string, undefined] => [name, undefined])
  return toFormPage(context, {
    ...toNewForm(context, request),
    values: { ...typed, ...Object.fromEntries(hidden) },
    warning: `This ${singular} was deleted after you opened it. Create it again from what you typed, or cancel.`,
    ...(problems.length > 0 && { problems }),
  })
}

async function toConflictPage(
  context: ResourceContext,
  { raw }: FastifyRequest,
  { current, edit }: { current: StoredRecord; edit?: Edit },
): Promise<Page> {
  const { relations } = context
  const hasHeader = raw.rawHeaders.some((text) => /^if-match$/i.test(text))
  const sides = [{}, edit?.opened, edit?.fields].map((values) => {
    return { ...current, document: { ...current.document, ...values } }
  })
  const toParentLink = await loadParentLinks(relations, sides)
  const choices = await loadChoices(context, { values: sides.at(-1)?.document ?? {} })
  return renderConflictPage(context, current, { edit, hasHeader, toParentLink, choices })
}
