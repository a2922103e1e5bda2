import { problemTypes, findProblemSlug } from '../errors/problem-types.ts'
import type { ErrorShape } from '../errors/send-error.ts'
import { toComponent, type Reference } from './component.ts'
import { objectSchema, pageContent, textContent, text, url } from './content.ts'
import { documentHeaders } from './fields.ts'
import type { ResponseDoc, Content, DocumentedMethod, Operation, ErrorStatus } from './operation.ts'

const ofEveryRoute = [400, 414, 417, 431, 500, 505] as const
const ofWrites = [403, 408, 413, 415, 501] as const

export function toErrorResponses(
  { method, store, errors = [], responses = {} }: Operation & { method: DocumentedMethod },
  limits: readonly ErrorStatus[],
  shape: ErrorShape | undefined,
): Record<string, Reference<ResponseDoc>> {
  const statuses: readonly ErrorStatus[] = [
    ...ofEveryRoute,
    ...limits,
    ...errors,
    ...(method === 'GET' ? [] : ofWrites),
    ...(store ? ([503] as const) : []),
    ...(store === 'writes' ? ([507] as const) : []),
  ]
  // Documented as a response of any type, which the document of one status would replace.
  const isIncluded = (status: ErrorStatus) => {
    const ofClass = responses[`${String(status).charAt(0)}XX`]
    return ofClass && 'content' in ofClass && '*/*' in (ofClass.content ?? {})
  }
  const others = statuses.filter((status) => !isIncluded(status))
  return Object.fromEntries(others.map((status) => [status, toErrorResponse(status, shape)]))
}

const problemSchema = toComponent('schemas', 'Problem', {
  description: 'Problem details (RFC 9457).',
  type: 'object',
  required: ['type', 'title', 'status', 'detail'],
  properties: {
    type: { ...url, description: 'The page about this type of problem.' },
    title: { ...text, description: 'The name of the type of problem.' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { ...text, description: 'What is wrong with this request.' },
    instance: { ...url, description: 'Identifies this response.' },
    errors: {
      description: 'The errors of each field.',
      type: 'array',
      items: objectSchema({ detail: text, pointer: url }),
    },
  },
})

function toErrorResponse(status: ErrorStatus, shape?: ErrorShape): Reference<ResponseDoc> {
  const slug = findProblemSlug(status) ?? 'bad-request'
  const { title, meaning, headers } = problemTypes[slug]
  const example = { type: `/problems/${slug}`, title, status, detail: meaning }
  const problem = { schema: problemSchema, example }
  const content: Content = shape
    ? { 'application/json': { schema: shape.schema } }
    : { 'application/problem+json': problem, ...pageContent, ...textContent() }
  return toComponent('responses', `${shape ? `${shape.name}-` : ''}${title.replaceAll(' ', '')}`, {
    description: meaning,
    headers: documentHeaders(Object.keys(headers)),
    content,
  })
}
