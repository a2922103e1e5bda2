import { jsonContent, pageContent, pathParameter, textContent } from '../../http/openapi/content.ts'
import type { Operations } from '../../http/openapi/operation.ts'
import { problemTypes } from '../../http/errors/problem-types.ts'

const text = { type: 'string' } as const

const problem = {
  description: 'A kind of refusal.',
  type: 'object',
  required: ['type', 'status', 'title', 'meaning', 'remedy'],
  properties: {
    type: { type: 'string', format: 'uri-reference' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    title: text,
    meaning: text,
    remedy: text,
    example: { ...text, description: 'A command that goes right, where there is one.' },
  },
}

const example = { type: '/problems/not-found', ...problemTypes['not-found'] }

export const operations: Operations = {
  'GET /problems': {
    summary: 'Every kind of refusal',
    responses: {
      200: {
        description: 'The kinds, in the order of their statuses.',
        content: {
          ...pageContent,
          ...jsonContent({ type: 'array', items: problem }, [example]),
          ...textContent(),
        },
      },
    },
    errors: [406],
  },
  'GET /problems/:slug': {
    summary: 'One kind of refusal',
    parameters: [pathParameter('slug', 'As in the `type` of a refusal.', 'not-found')],
    responses: {
      200: {
        description: 'What it means, and what to do.',
        content: { ...pageContent, ...jsonContent(problem, example), ...textContent() },
      },
    },
    errors: [404, 406],
  },
}
