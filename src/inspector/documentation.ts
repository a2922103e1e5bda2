import { jsonContent, pageContent, pathParameter, textContent } from '../http/openapi/content.ts'
import type { Operation } from '../http/openapi/operation.ts'

const text = { type: 'string' } as const
const id = '6d3f0c5e-8a0f-4c6b-9d37-2f6a1c1f7b1e'

const required = {
  id: { ...text, format: 'uuid' },
  receivedAt: { ...text, format: 'date-time' },
  method: { ...text, description: 'The method in the request line.' },
  effectiveMethod: { ...text, description: 'The method after an override.' },
  target: text,
  status: { type: 'integer' },
  ms: { type: 'number' },
  head: { ...text, description: 'The head of the request and of the response.' },
  curl: text,
  fetch: text,
  httpie: text,
}
const schema = {
  type: 'object',
  required: Object.keys(required),
  properties: {
    ...required,
    negotiation: {
      type: 'object',
      description: 'The chosen representation, the alternatives, and what decided.',
    },
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

export const pageOperation: Operation = {
  summary: 'Get the page about the request inspector',
  content: pageContent,
}

export const exchangeOperation: Operation = {
  summary: 'Get a recorded request and response',
  parameters: [pathParameter('id', 'The value of `wire` in Server-Timing of the response.', id)],
  responses: {
    200: {
      description: 'The request and the response, one of the last 500. Secrets are masked.',
      content: { ...pageContent, ...jsonContent(schema, example), ...textContent(example.head) },
    },
  },
  errors: [404, 406],
}
