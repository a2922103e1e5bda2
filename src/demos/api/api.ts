import type { XStatic } from 'typebox/schema'
import { isObject } from '../../config/is-object.ts'
import { parameterToText } from '../../http/request/parameters.ts'
import { fieldsContent, jsonContent, objectSchema, text } from '../../http/openapi/content.ts'
import type { Route } from '../../http/openapi/route.ts'
import { isAlone, type Demo } from '../../site/demo.ts'

const content = 'This is JSON, served by Vitrine.'
const config = { defaultType: 'json' } as const
const name = { ...text, description: 'The name in the request.' }
const greeting = {
  type: 'object',
  required: ['content'],
  properties: { content: text, name },
} as const
const greetingContent = jsonContent(greeting, { content, name: 'Ann' })

export const api: Demo = {
  name: 'api',
  title: 'JSON',
  summary: 'Routes that return a small JSON object. Two of them include a name that you send.',
  group: 'Requests and responses',
  samples: [
    { title: 'A JSON object', method: 'GET', path: '/api/json' },
    {
      title: 'A name in the query string',
      method: 'GET',
      path: '/api/get_json_with_param',
      fields: { name: 'Ann' },
      choices: { Ann: 'Ann', 'Other letters': 'Zoë 日本', 'Reserved characters': 'a&b=c' },
      featured: 'JSON',
    },
    {
      title: 'A name in the body',
      method: 'POST',
      path: '/api/post_json_with_param',
      fields: { name: 'Ann' },
    },
  ],
  lookFor:
    'The body is a JSON object, and `Content-Type` is `application/json`. A GET request has the name in its URL; a POST request has it in its body.',
  routes: () => [getJson, getGreeting, postGreeting],
  errorShape: (services) => ({
    name: 'api',
    schema: objectSchema({ error: text }),
    under: isAlone('api', services) ? '/' : '/api',
    toJson: ({ message, status }) => ({
      error: [404, 405].includes(status) ? `${message} Please use the path /api/json.` : message,
    }),
  }),
}

const getJson: Route = {
  method: 'GET',
  url: '/api/json',
  summary: 'Get a JSON object',
  example: { content },
  config,
  handler: () => ({ content }),
}

const getGreeting: Route = {
  method: 'GET',
  url: '/api/get_json_with_param',
  summary: 'Get a JSON object with a name from the query string',
  parameters: [{ name: 'name', in: 'query', description: 'A name.', schema: text, example: 'Ann' }],
  content: greetingContent,
  config,
  handler: ({ query }) => toGreeting(query),
}

const postGreeting: Route = {
  method: 'POST',
  url: '/api/post_json_with_param',
  summary: 'Get a JSON object with a name from the body',
  requestBody: {
    description: 'A name that is not text is returned as JSON.',
    content: fieldsContent({ properties: { name: {} } }, { name: 'Ann' }),
  },
  content: greetingContent,
  config,
  handler: ({ body }) => toGreeting(body),
}

function toGreeting(parameters: unknown): XStatic<typeof greeting> {
  const { name } = isObject(parameters) ? parameters : {}
  return name === undefined ? { content } : { content, name: parameterToText(name) }
}
