import { jsonContent, objectSchema } from '../../http/openapi/content.ts'
import { responseHeaders } from '../../http/openapi/fields.ts'
import type { Operations } from '../../http/openapi/operation.ts'

export const operations: Operations = {
  'GET /health': {
    summary: 'Whether the service answers',
    responses: { 200: { description: 'It does.', content: statusContent('ok') } },
  },
  'GET /health/live': {
    summary: 'Whether the process lives',
    responses: { 200: { description: 'It does.', content: statusContent('live') } },
  },
  'GET /health/ready': {
    summary: 'Whether requests should be sent here',
    responses: {
      200: {
        description: 'They should: the records can be read.',
        content: statusContent('ready'),
      },
      503: {
        description: 'Not now: it starts, it stops, or the records cannot be read.',
        headers: { 'Retry-After': responseHeaders.retryAfter },
        content: statusContent('no database', 'starting', 'draining'),
      },
    },
  },
}

function statusContent(...statuses: readonly [string, ...string[]]) {
  const status = { type: 'string', enum: statuses }
  return jsonContent(objectSchema({ status }), { status: statuses[0] })
}
