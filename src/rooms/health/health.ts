import type { FastifyInstance } from 'fastify'
import { describeRoutes } from '../../http/openapi/operation.ts'
import { operations } from './operations.ts'

/** `GET /health`: 200 while the service answers. Always there. */
export function openHealth(app: FastifyInstance): void {
  describeRoutes(app, 'vitrine', operations)
  app.get('/health', { config: { defaultAnswer: 'json' } }, () => ({ status: 'ok' }))
}
