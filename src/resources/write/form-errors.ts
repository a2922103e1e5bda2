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

/**
 * Has who sent a form in vain get a page from which to go on; everyone else, and whoever `toPage`
 * has none for, gets the refusal.
 */
export async function renderFormOnError(
  request: FastifyRequest,
  reply: FastifyReply,
  toPage: (refusal: HttpError) => Html | undefined,
  write: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await write()
  } catch (error) {
    if (!(error instanceof HttpError) || findErrorForm(request, reply) !== 'html') throw error
    const page = toPage(error)
    if (page === undefined) throw error
    return sendInstead(reply, error, page)
  }
}

/** How an edit that is refused goes on; `met` is the state that it met. */
export function editFormAfterError(
  { resource }: ResourceContext,
  request: FastifyRequest,
  { status, fields: problems }: HttpError,
  { met, patch }: { met: StoredRecord; patch: Patch },
): Html | undefined {
  const isConflict = status === 412 && isForm(request)
  if (!isConflict && problems.length === 0) return undefined
  const { fields } = patch(met)
  if (isConflict) return conflictPage(resource, { current: met, fields })
  const etag = request.headers['if-match'] ?? toTag(met)
  const values = { ...met.document, ...fields }
  return formPage(resource, { _action: 'edit', id: met.id, etag, values, problems })
}

/**
 * The error handler of a route that creates. A form whose key came before with other values, as one
 * that Back brought up again, is shown with what was typed and a key of its own.
 */
export function newFormAfterReusedKey({ resource }: ResourceContext) {
  return (error: Error, request: FastifyRequest, reply: FastifyReply): void => {
    const isReused = error instanceof HttpError && error.problem === 'idempotency-key-reused'
    // What is thrown here goes to the handler of every error.
    if (!isReused || findErrorForm(request, reply) !== 'html') throw error
    const page = formPage(resource, {
      _action: 'new',
      key: randomUUID(),
      values: parseInput(resource, request).fields,
      warning: `This form was already sent, with other values. Send it again to create another ${resource.singular}.`,
    })
    void sendInstead(reply, error, page)
  }
}

function sendInstead(reply: FastifyReply, refusal: HttpError, page: Html): FastifyReply {
  reply.code(refusal.status).headers(refusal.headers).header('cache-control', 'no-store')
  return sendPage(reply, page)
}
