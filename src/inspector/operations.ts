import { jsonContent, pageContent, pathParameter, textContent } from '../http/openapi/content.ts'
import type { Operations } from '../http/openapi/operation.ts'

const text = { type: 'string' } as const
const id = '6d3f0c5e-8a0f-4c6b-9d37-2f6a1c1f7b1e'

const required = {
  id: { ...text, format: 'uuid' },
  receivedAt: { ...text, format: 'date-time' },
  method: { ...text, description: 'As it was on the wire.' },
  effectiveMethod: { ...text, description: 'After an override.' },
  target: text,
  status: { type: 'integer' },
  ms: { type: 'number' },
  head: { ...text, description: 'Both heads, line by line.' },
  curl: text,
  fetch: text,
  httpie: text,
}
const schema = {
  type: 'object',
  required: Object.keys(required),
  properties: {
    ...required,
    negotiation: { type: 'object', description: 'What was chosen, from what, and why.' },
  },
} as const

const example = {
  id,
  receivedAt: '2026-11-21T08:20:41.509Z',
  method: 'GET',
  effectiveMethod: 'GET',
  target: '/health',
  status: 200,
  ms: 0.4,
  head: 'GET /health HTTP/1.1\nHost: 127.0.0.1:3000\n\nHTTP/1.1 200 OK\n',
  curl: "curl -i 'http://127.0.0.1:3000/health'",
  fetch: 'await fetch("http://127.0.0.1:3000/health")',
  httpie: "http -v GET 'http://127.0.0.1:3000/health'",
}

export const operations: Operations = {
  'GET /inspector': {
    summary: 'How to see an exchange',
    responses: { 200: { description: 'A page.', content: pageContent } },
  },
  'GET /inspector/:id': {
    summary: 'One exchange as it was on the wire',
    parameters: [pathParameter('id', 'What `Server-Timing` of its answer calls `wire`.', id)],
    responses: {
      200: {
        description: 'Request and answer, one of the last 500; secrets are masked.',
        content: {
          ...pageContent,
          ...jsonContent(schema, example),
          ...textContent(example.head),
        },
      },
    },
    errors: [404, 406],
  },
}
