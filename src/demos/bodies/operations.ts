import {
  fieldsContent,
  jsonContent,
  pathParameter,
  textContent,
} from '../../http/openapi/content.ts'
import type { Operations, Schema } from '../../http/openapi/operation.ts'

const text: Schema = { type: 'string' }
const texts: Schema = { type: 'array', items: text }
const echo = { colour: 'green' }

export const operations: Operations = {
  'POST /users/post': {
    summary: 'A form or JSON, said back as JSON',
    requestBody: { content: fieldsContent({ description: 'Anything.' }, echo) },
    responses: {
      200: {
        description: 'What came; without content, an empty object.',
        content: jsonContent({}, echo),
      },
    },
  },
  'POST /users/post/formdata': {
    summary: 'The text fields of a multipart form, said back as JSON',
    requestBody: {
      content: {
        'multipart/form-data': {
          schema: {
            type: 'object',
            properties: {
              pic: {
                contentMediaType: 'application/octet-stream',
                description: 'A file; it is read and let go.',
              },
            },
            additionalProperties: true,
          },
          example: echo,
        },
      },
    },
    responses: {
      200: {
        description: 'The text fields; several of one name as a list.',
        content: jsonContent(
          { type: 'object', additionalProperties: { anyOf: [text, texts] } },
          echo,
        ),
      },
    },
  },
  'POST /users/post/raw': {
    summary: 'A text, said back as a JSON string',
    requestBody: { content: textContent('plain words') },
    responses: {
      200: { description: 'The text.', content: jsonContent(text, 'plain words') },
    },
  },
  'GET /users': {
    summary: 'Words about the users',
    responses: { 200: { description: 'Text.', content: textContent('These are the users\n') } },
  },
  'GET /users/:id': {
    summary: 'Words about one user',
    parameters: [pathParameter('id', 'Any text.', '42')],
    responses: { 200: { description: 'Text.', content: textContent('This is user 42\n') } },
  },
}
