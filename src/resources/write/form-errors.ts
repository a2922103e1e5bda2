import type { FastifyReply, FastifyRequest } from 'fastify'
import { randomUUID } from 'node:crypto'
import { isForm } from '../../http/body/body-reader.ts'
import type { Html } from '../../site/html.ts'
import { HttpError } from '../../http/errors/http-error.ts'
import { sendPage } from '../../site/send-page.ts'
import { findErrorForm } from '../../http/errors/send-error.ts'
import type { StoredRecord } from '../../stores/records/records.ts'
import { conflictPage } from './conflict-page.ts'
import type { ResourceContext } from '../context.ts'
import { formPage } from './form-page.ts'
import { parseInput } from './input.ts'
import type { Patch } from './patches.ts'
import { toTag } from '../record/validators.ts'

/** Sends the page that `toPage` makes of an error to a client that prefers HTML. */
export async function renderFormOnError(
  request: FastifyRequest,
  reply: FastifyReply,
  toPage: (error: HttpError) => Html | undefined,
  write: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await write()
  } catch (error) {
    if (!(error instanceof HttpError) || findErrorForm(request, reply) !== 'html') throw error
    const page = toPage(error)
    if (page === undefined) throw error
    return sendErrorPage(reply, error, page)
  }
}

/** The page after an edit that failed; `current` is the state of the record at that time. */
export function editFormAfterError(
  { resource }: ResourceContext,
  request: FastifyRequest,
  { status, fields: problems }: HttpError,
  { current, patch }: { current: StoredRecord; patch: Patch },
): Html | undefined {
  const isConflict = status === 412 && isForm(request)
  if (!isConflict && problems.length === 0) return undefined
  const { fields } = patch(current)
  if (isConflict) return conflictPage(resource, { current, fields })
  const etag = request.headers['if-match'] ?? toTag(current)
  const values = { ...current.document, ...fields }
  return formPage(resource, { _action: 'edit', id: current.id, etag, values, problems })
}

/**
 * The error handler of a route that creates: a form whose key was used with other values, as after
 * the Back button, is shown again with a new key.
 */
export function newFormAfterReusedKey({ resource, config }: ResourceContext) {
  return (error: Error, request: FastifyRequest, reply: FastifyReply): void => {
    const isReused = error instanceof HttpError && error.problem === 'idempotency-key-reused'
    // Fastify passes it on to the general error handler.
    if (!isReused || findErrorForm(request, reply) !== 'html') throw error
    const page = formPage(resource, {
      _action: 'new',
      key: randomUUID(),
      values: parseInput(resource, request, config).fields,
      warning: `This form was already sent with other values. Send it again to create another ${resource.singular}.`,
    })
    void sendErrorPage(reply, error, page)
  }
}

function sendErrorPage(reply: FastifyReply, error: HttpError, page: Html): FastifyReply {
  reply.code(error.status).headers(error.headers).header('cache-control', 'no-store')
  return sendPage(reply, page)
}
