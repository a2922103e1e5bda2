import type { FastifyRequest } from 'fastify'
import type { HttpError } from './http-error.ts'
import { toOrigin } from '../request/request-head.ts'
import { toRequestUri } from '../request/request-id.ts'

export function toProblem(error: HttpError, request: FastifyRequest): object {
  const { problem, status, title, message, fields, members } = error
  const errors = fields.map(({ field, message: detail }) => ({ detail, pointer: toPointer(field) }))
  // A host that is not served serves no page about the error either.
  const origin = status === 421 ? '' : toOrigin(request)
  return {
    type: problem === undefined ? 'about:blank' : `${origin}/problems/${problem}`,
    title,
    status,
    detail: message,
    instance: toRequestUri(request.id),
    ...(errors.length > 0 && { errors }),
    ...members,
  }
}

/** RFC 6901 §3, §6: a JSON Pointer as a URI fragment. */
function toPointer(member: string): string {
  return `#/${encodeURIComponent(member.replaceAll('~', '~0').replaceAll('/', '~1'))}`
}
