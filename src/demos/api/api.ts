import type { FastifyRequest } from 'fastify'
import { objectSchema } from '../../http/openapi/content.ts'
import { describeRoutes } from '../../http/openapi/operation.ts'
import type { HttpError } from '../../http/errors/http-error.ts'
import { parameterToText } from '../../http/request/query-string.ts'
import { isAlone, type Demo } from '../../site/demo.ts'
import { operations } from './operations.ts'

const content = 'This is JSON, served by Vitrine.'

/** Small JSON answers; every refusal here is JSON too (seed, "Demonstration: JSON endpoints"). */
export const api: Demo = {
  name: 'api',
  title: 'JSON',
  summary: 'Small JSON answers, one of which says back the name it is given.',
  links: [
    { href: '/api/json', label: 'A JSON object' },
    { href: '/api/get_json_with_param?name=Ann', label: 'A JSON object with a parameter' },
  ],
  tryOut: { method: 'GET', path: '/api/get_json_with_param', fields: { name: 'Ann' } },
  open: (app) => {
    describeRoutes(app, 'api', operations)
    const options = { config: { defaultType: 'json' } } as const
    app.get('/api/json', options, () => ({ content }))
    app.get('/api/get_json_with_param', options, ({ query }) => toGreeting(query))
    app.post('/api/post_json_with_param', options, ({ body }) => toGreeting(body))
  },
  errorShape: (services) => ({
    schema: objectSchema({ error: { type: 'string' } }),
    under: isAlone('api', services) ? '/' : '/api',
    toJson: ({ message }: HttpError) => ({
      error: `${message} Please use the path /api/json.`,
    }),
  }),
}

function toGreeting(parameters: FastifyRequest['query']): { content: string; name?: string } {
  const { name } = Object(parameters) as { name?: unknown }
  return name === undefined ? { content } : { content, name: parameterToText(name) }
}
