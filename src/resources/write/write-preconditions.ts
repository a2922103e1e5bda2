import type { FastifyRequest } from 'fastify'
import { mayWriteResource, hasStatePrecondition } from '../../http/response/preconditions.ts'
import { preconditionFailed, preconditionRequired } from '../../http/errors/http-error.ts'
import type { StoredRecord } from '../../stores/records/records.ts'
import type { ResourceContext } from '../context.ts'
import { toState, toTag } from '../record/validators.ts'

/**
 * Throws 412 where the record is not as the request expects it, and 428 where it should expect
 * something of a record that is there (`REQUIRE_IF_MATCH`). Asked again with every state that the
 * write meets, so that check and write are one.
 */
export function assertPreconditions(
  request: FastifyRequest,
  { config }: ResourceContext,
  record: StoredRecord | undefined,
): void {
  const { headers } = request
  const state = record && toState(record)
  if (!mayWriteResource(headers, state)) {
    throw preconditionFailed(record && toTag(record))
  }
  const isRequired = config.requireIfMatch && record !== undefined
  if (isRequired && !hasStatePrecondition(headers)) throw preconditionRequired()
}
