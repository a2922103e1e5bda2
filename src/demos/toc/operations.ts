import { fieldsContent, textContent } from '../../http/openapi/content.ts'
import type { Operations } from '../../http/openapi/operation.ts'

export const operations: Operations = {
  'POST /toc/aaa': {
    summary: 'What a POST form sends',
    requestBody: {
      content: fieldsContent(
        { properties: { a: { description: 'Any text; anything else is shown as JSON.' } } },
        { a: 'brass' },
      ),
    },
    responses: {
      200: { description: 'Text equal to `a`, to the byte.', content: textContent('brass') },
    },
  },
}
