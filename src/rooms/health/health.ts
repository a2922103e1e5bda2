import type { FastifyInstance } from 'fastify'

/** `GET /health`: 200 while the service answers. Always there. */
export function openHealth(app: FastifyInstance): void {
  app.get('/health', { config: { defaultAnswer: 'json' } }, () => ({ status: 'ok' }))
}
