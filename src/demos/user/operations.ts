import { pathParameter, textContent } from '../../http/openapi/content.ts'
import type { Operation, Operations } from '../../http/openapi/operation.ts'

const id = pathParameter('id', 'Any text.', '42')

function answer(example: string): Operation['responses'] {
  return { 200: { description: 'A few words.', content: textContent(`${example}\n`) } }
}

export const operations: Operations = {
  'POST /user/create': {
    summary: 'Words that name POST',
    responses: answer('POST: a user is created'),
  },
  'PUT /user/:id': {
    summary: 'Words that name PUT',
    parameters: [id],
    responses: answer('PUT: user 42 is replaced'),
  },
  'DELETE /user/:id': {
    summary: 'Words that name DELETE',
    parameters: [id],
    responses: answer('DELETE: user 42 is gone'),
  },
  'GET /user:id': {
    summary: 'A greeting for whatever follows /user',
    parameters: [
      { ...id, description: 'Any text but `s` and what begins with `s.`: those are the users.' },
    ],
    responses: answer('Hello, 42'),
    errors: [404, 406],
  },
}
