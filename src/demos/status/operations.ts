import { textContent } from '../../http/openapi/content.ts'
import type { Operations } from '../../http/openapi/operation.ts'

const asked = { description: 'The status that was asked for.', content: textContent('200 OK\n') }

export const operations: Operations = {
  'GET /status/:code': {
    summary: 'Any status, on request',
    description:
      'With what it needs to be well-formed: Location on 3xx, WWW-Authenticate on 401, Retry-After on 429 and 503. No content comes with 204, 205 and 304. The content of the request is passed over.',
    parameters: [
      {
        name: 'code',
        in: 'path',
        required: true,
        description: 'The status.',
        schema: { type: 'integer', minimum: 200, maximum: 599 },
        example: 418,
      },
    ],
    responses: { '2XX': asked, '3XX': asked, '4XX': asked, '5XX': asked },
    errors: [404],
  },
}
