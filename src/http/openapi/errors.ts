import { problemTypes, findProblemSlug } from '../errors/problem-types.ts'
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

/** Any request can have an invalid head, and any handler can fail. */
const ofEveryRoute = [400, 414, 417, 431, 500, 505] as const
/** Cross-site writes, and bodies that are late, too large or encoded. */
const ofWrites = [403, 408, 413, 415, 501] as const

/** The error statuses of a route: of its method, its store, its own and those of the limits. */
export function toErrorStatuses(
  method: DocumentedMethod,
  { store, errors = [] }: Operation,
  limits: readonly ErrorStatus[],
): readonly ErrorStatus[] {
  const statuses = new Set<ErrorStatus>([
    ...ofEveryRoute,
    ...limits,
    ...errors,
    ...(method === 'GET' ? [] : ofWrites),
    ...(store ? ([503] as const) : []),
    ...(store === 'writes' ? ([507] as const) : []),
  ])
  return [...statuses].toSorted((one, other) => one - other)
}

const problem = toComponent('schemas', 'Problem', {
  description: 'Problem details (RFC 9457).',
  type: 'object',
  required: ['type', 'title', 'status', 'detail'],
  properties: {
    type: {
      type: 'string',
      format: 'uri-reference',
      description: 'The page about this type of problem.',
    },
    title: { type: 'string', description: 'The name of the type of problem.' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { type: 'string', description: 'What is wrong with this request.' },
    instance: { type: 'string', format: 'uri-reference', description: 'Identifies this response.' },
    errors: {
      description: 'The errors of each field.',
      type: 'array',
      items: objectSchema({
        detail: { type: 'string' },
        pointer: { type: 'string', format: 'uri-reference' },
      }),
    },
  },
})

/** The headers of an error response with this status. */
const headersByStatus: Partial<Record<ErrorStatus, ResponseDoc['headers']>> = {
  401: { 'WWW-Authenticate': responseHeaders.authenticate },
  405: { Allow: responseHeaders.allow },
  412: { ETag: responseHeaders.etag },
  415: { 'Accept-Post': responseHeaders.acceptPost, 'Accept-Patch': responseHeaders.acceptPatch },
  416: { 'Content-Range': responseHeaders.contentRange },
  429: { 'Retry-After': responseHeaders.retryAfter },
  503: { 'Retry-After': responseHeaders.retryAfter },
}

/** The response with this error status, in the shape of the demo if it has one of its own. */
export function toErrorResponse(status: ErrorStatus, shape?: ErrorShape): Reference {
  const slug = findProblemSlug(status) ?? 'bad-request'
  const { title, meaning } = problemTypes[slug]
  const name = title.replaceAll(' ', '')
  const headers = headersByStatus[status]
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
