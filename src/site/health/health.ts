import type { FastifyInstance } from 'fastify'
import { jsonContent, objectSchema } from '../../http/openapi/content.ts'
import { responseHeaders } from '../../http/openapi/fields.ts'
import { registerRoutes, type Route } from '../../http/openapi/route.ts'
import { toProbeResponse, type Readiness } from '../../operations/readiness.ts'

const probeConfig = { defaultType: 'json', anyHost: true, isUnlimited: true } as const

export function openHealth(app: FastifyInstance, { find }: Pick<Readiness, 'find'>): void {
  registerRoutes(app, { file: import.meta.filename }, [getHealth, getLive, getReady(find)])
}

const getHealth: Route = {
  method: 'GET',
  url: '/health',
  summary: 'Check whether the service responds',
  content: statusContent('ok'),
  config: probeConfig,
  handler: () => ({ status: 'ok' }),
}

const getLive: Route = {
  method: 'GET',
  url: '/health/live',
  summary: 'Check whether the process is alive',
  content: statusContent('live'),
  config: probeConfig,
  handler: (_, reply) => reply.header('cache-control', 'no-store').send({ status: 'live' }),
}

const getReady = (find: Readiness['find']): Route => ({
  method: 'GET',
  url: '/health/ready',
  summary: 'Check whether the service is ready for requests',
  responses: {
    200: {
      description: 'Ready: the database can be read.',
      content: statusContent('ready'),
    },
    503: {
      description:
        'Not ready: starting, stopping, at MAX_CONNECTIONS, or the database cannot be read.',
      headers: responseHeaders('Retry-After'),
      content: statusContent('no database', 'no free connection', 'starting', 'draining'),
    },
  },
  config: probeConfig,
  handler: async (_, reply) => {
    const { code, headers, content } = toProbeResponse(await find())
    return reply.code(code).headers(headers).send(content)
  },
})

function statusContent(...statuses: readonly string[]) {
  return jsonContent(objectSchema({ status: { enum: statuses } }), { status: statuses[0] })
}
