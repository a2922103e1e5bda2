import { pageContent } from '../../http/openapi/content.ts'
import type { Operations } from '../../http/openapi/operation.ts'

export const operations: Operations = {
  'GET /': {
    summary: 'What this is, and a map of the rooms',
    responses: { 200: { description: 'A page.', content: pageContent } },
  },
}
