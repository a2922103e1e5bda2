import { problemTypes, toProblemSlug } from '../errors/problem-types.ts'
import type { ErrorShape } from '../errors/send-error.ts'
import { toComponent } from './component.ts'
import { objectSchema, pageContent, textContent } from './content.ts'
import { responseHeaders } from './fields.ts'
import type {
  ResponseDoc,
  Content,
  DocumentedMethod,
  Operation,
  Reference,
  ErrorStatus,
} from './operation.ts'

/** The head of any request can be wrong, and so can the service. */
const everyRoute = [400, 414, 417, 431, 500, 505] as const
/** Another site may not write; and what brings content can be late, too large or encoded. */
const writes = [403, 408, 413, 415, 501] as const

/** Every status with which a route of this kind can refuse. */
export function toErrorStatuses(
  method: DocumentedMethod,
  { store, errors: refusals = [] }: Operation,
): readonly ErrorStatus[] {
  const statuses = new Set<ErrorStatus>([...everyRoute, ...refusals])
  if (method !== 'GET') for (const status of writes) statuses.add(status)
  if (store) statuses.add(503)
  if (store === 'writes') statuses.add(507)
  return [...statuses].toSorted((one, other) => one - other)
}

const problem = toComponent('schemas', 'Problem', {
  description: 'Problem details (RFC 9457).',
  type: 'object',
  required: ['type', 'title', 'status', 'detail'],
  properties: {
    type: { type: 'string', format: 'uri-reference', description: 'The page of the problem.' },
    title: { type: 'string', description: 'What such a problem is called.' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { type: 'string', description: 'What is wrong, in a sentence.' },
    instance: { type: 'string', format: 'uri-reference', description: 'This very answer.' },
    errors: {
      description: 'What is wrong with which field.',
      type: 'array',
      items: objectSchema({
        detail: { type: 'string' },
        pointer: { type: 'string', format: 'uri-reference' },
      }),
    },
  },
})

/** What a refusal with this status must or may say besides. */
const fieldsOf: Partial<Record<ErrorStatus, ResponseDoc['headers']>> = {
  401: { 'WWW-Authenticate': responseHeaders.authenticate },
  405: { Allow: responseHeaders.allow },
  412: { ETag: responseHeaders.etag },
  415: { 'Accept-Post': responseHeaders.acceptPost, 'Accept-Patch': responseHeaders.acceptPatch },
  416: { 'Content-Range': responseHeaders.contentRange },
  429: { 'Retry-After': responseHeaders.retryAfter },
  503: { 'Retry-After': responseHeaders.retryAfter },
}

/** The answer of a refusal, in the service's form or, where a room has one, in the room's. */
export function toErrorResponse(status: ErrorStatus, shape?: ErrorShape): Reference {
  const slug = toProblemSlug(status) ?? 'bad-request'
  const { title, meaning } = problemTypes[slug]
  const name = title.replaceAll(' ', '')
  const headers = fieldsOf[status]
  const content: Content = shape
    ? { 'application/json': { schema: shape.schema } }
    : {
        'application/problem+json': {
          schema: problem,
          example: { type: `/problems/${slug}`, title, status, detail: meaning },
        },
        ...pageContent,
        ...textContent(),
      }
  return toComponent('responses', shape ? `${name}Error` : name, {
    description: meaning,
    ...(headers && { headers }),
    content,
  } satisfies ResponseDoc)
}
