import { fieldsContent, jsonContent, objectSchema } from '../../http/openapi/content.ts'
import type { Operations } from '../../http/openapi/operation.ts'

const text = { type: 'string' } as const
const content = 'This is JSON, served by Vitrine.'
const named = {
  type: 'object',
  required: ['content'],
  properties: { content: text, name: { ...text, description: 'The name that was given, if any.' } },
} as const

export const operations: Operations = {
  'GET /api/json': {
    summary: 'A JSON object',
    responses: {
      200: {
        description: 'It.',
        content: jsonContent(objectSchema({ content: text }), { content }),
      },
    },
  },
  'GET /api/get_json_with_param': {
    summary: 'A JSON object with the name from the address',
    parameters: [
      { name: 'name', in: 'query', description: 'A name.', schema: text, example: 'Ann' },
    ],
    responses: {
      200: { description: 'It.', content: jsonContent(named, { content, name: 'Ann' }) },
    },
  },
  'POST /api/post_json_with_param': {
    summary: 'A JSON object with the name from the content',
    requestBody: {
      description: 'What is no text is shown as JSON.',
      content: fieldsContent({ properties: { name: { description: 'A name.' } } }, { name: 'Ann' }),
    },
    responses: {
      200: { description: 'It.', content: jsonContent(named, { content, name: 'Ann' }) },
    },
  },
}
