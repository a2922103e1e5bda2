import { isObject } from '../../src/config/is-object.ts'
import { parameterToText } from '../../src/http/request/parameters.ts'
import { fieldsContent, textContent } from '../../src/http/openapi/content.ts'
import type { Route } from '../../src/http/openapi/route.ts'
import { toPathParameter } from '../../src/http/request/target.ts'
import { sendText } from '../../src/http/response/send.ts'
import type { Demo } from '../../src/site/demo.ts'

export const mirror: Demo = {
  name: 'mirror',
  title: 'Mirror',
  summary: 'Shows how a request was parsed.',
  samples: [
    {
      title: 'A field',
      method: 'GET',
      path: '/mirror/query',
      fields: { a: 'glass' },
      featured: 'A field',
    },
  ],
  routes: (_, { supportedMethods }) => [
    showRequest(supportedMethods),
    showQuery,
    showField,
    respondWithStatus(supportedMethods.filter((name) => name !== 'TRACE')),
  ],
}

/** The response to HEAD shows it too, since it is in the headers. */
const showRequest = (method: string[]): Route => ({
  method,
  url: '/mirror',
  summary: 'Show how the request was parsed',
  example: 'seen\n',
  handler: ({ method, query, body }, reply) =>
    sendText(
      reply.headers({ 'x-method': method, 'x-query': toHeader(query), 'x-body': toHeader(body) }),
      'seen\n',
    ),
})

const showQuery: Route = {
  method: 'GET',
  url: '/mirror/query',
  summary: 'Return a field of the query string',
  parameters: [
    {
      name: 'a',
      in: 'query',
      description: 'One value or several.',
      schema: { type: 'array', items: { type: 'string' }, maxItems: 100 },
      example: ['glass'],
    },
  ],
  example: 'a: glass\n',
  handler: ({ query }, reply) =>
    sendText(reply, `a: ${parameterToText(isObject(query) ? query.a : undefined)}\n`),
}

const showField: Route = {
  method: 'POST',
  url: '/mirror/field',
  summary: 'Return a field of the body',
  requestBody: {
    content: fieldsContent({ properties: { a: { description: 'Any text.' } } }, { a: 'brass' }),
  },
  example: 'brass',
  handler: ({ body }, reply) =>
    sendText(reply, parameterToText(isObject(body) ? body.a : undefined)),
}

const anyResponse = { description: 'The requested status code.', content: textContent('200\n') }

const respondWithStatus = (method: string[]): Route => ({
  method,
  url: '/mirror/status/:code(^[2-5]\\d\\d$)',
  summary: 'Respond with a status code',
  parameters: [
    {
      name: 'code',
      in: 'path',
      required: true,
      description: 'The status code.',
      schema: { type: 'integer', minimum: 200, maximum: 599 },
      example: 418,
    },
  ],
  responses: { '2XX': anyResponse, '3XX': anyResponse, '4XX': anyResponse, '5XX': anyResponse },
  errors: [404],
  config: { readsBodyItself: true },
  handler: (request, reply) => {
    const code = toPathParameter(request, 'code')
    reply.code(Number(code)).header('cache-control', 'no-store')
    return ['204', '205', '304'].includes(code) ? reply.send() : sendText(reply, `${code}\n`)
  },
})

/** JSON in ASCII, since headers are limited to it. */
function toHeader(value: unknown): string {
  if (value === undefined) return 'absent'
  return JSON.stringify(value).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
