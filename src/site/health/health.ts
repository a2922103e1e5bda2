import type { FastifyInstance } from 'fastify'
import { describeRoutes } from '../../http/openapi/operation.ts'
import { toProbeResponse, type Readiness } from '../../operations/readiness.ts'
import { operations } from './operations.ts'

const config = { defaultType: 'json', anyHost: true } as const

/** `GET /health`: 200 while the service answers; and what those who run it ask. Always there. */
export function openHealth(app: FastifyInstance, { find }: Pick<Readiness, 'find'>): void {
  describeRoutes(app, 'vitrine', operations)
  app.get('/health', { config }, () => ({ status: 'ok' }))
  app.get('/health/live', { config }, (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'live' }),
  )
  app.get('/health/ready', { config }, async (_request, reply) => {
    const { code, headers, content } = toProbeResponse(await find())
    return reply.code(code).headers(headers).send(content)
  })
}
