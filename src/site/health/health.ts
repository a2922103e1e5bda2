import type { FastifyInstance } from 'fastify'
import { exampleContent, jsonContent, objectSchema } from '../../http/openapi/content.ts'
import { responseHeaders } from '../../http/openapi/fields.ts'
import { registerRoutes, type Route } from '../../http/openapi/route.ts'
import { toProbeResponse, type Readiness } from '../../operations/readiness.ts'

const config = { defaultType: 'json', anyHost: true } as const

export function openHealth(app: FastifyInstance, { find }: Pick<Readiness, 'find'>): void {
  registerRoutes(app, { file: import.meta.filename }, [
    {
      method: 'GET',
      url: '/health',
      summary: 'Check whether the service responds',
      example: { status: 'ok' },
      config,
      handler: () => ({ status: 'ok' }),
    },
    {
      method: 'GET',
      url: '/health/live',
      summary: 'Check whether the process is alive',
      example: { status: 'live' },
      config,
      handler: (_, reply) => reply.header('cache-control', 'no-store').send({ status: 'live' }),
    },
    readyRoute(find),
  ])
}

function readyRoute(find: Readiness['find']): Route {
  const failed = objectSchema({ status: { enum: ['no database', 'starting', 'draining'] } })
  return {
    method: 'GET',
    url: '/health/ready',
    summary: 'Check whether the service is ready for requests',
    responses: {
      200: {
        description: 'Ready: the database can be read.',
        content: exampleContent({ status: 'ready' }, true),
      },
      503: {
        description: 'Not ready: starting, stopping, or the database cannot be read.',
        headers: responseHeaders('Retry-After'),
        content: jsonContent(failed, { status: 'no database' }),
      },
    },
    config,
    handler: async (_, reply) => {
      const { code, headers, content } = toProbeResponse(await find())
      return reply.code(code).headers(headers).send(content)
    },
  }
}
