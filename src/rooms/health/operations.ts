import { jsonContent, objectSchema } from '../../http/openapi/content.ts'
import type { Operations } from '../../http/openapi/operation.ts'

export const operations: Operations = {
  'GET /health': {
    summary: 'Whether the service answers',
    responses: {
      200: {
        description: 'It does.',
        content: jsonContent(objectSchema({ status: { const: 'ok' } }), { status: 'ok' }),
      },
    },
  },
}
