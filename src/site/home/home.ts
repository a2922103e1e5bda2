import type { FastifyInstance } from 'fastify'
import { describeRoutes } from '../../http/openapi/operation.ts'
import { sendPage } from '../send-page.ts'
import type { Demo } from '../demo.ts'
import { operations } from './operations.ts'
import { homePage } from './views.ts'

/** `GET /`: what this is, and a map of the rooms that are mounted. Always there. */
export function openHome(app: FastifyInstance, rooms: readonly Demo[]): void {
  describeRoutes(app, 'vitrine', operations)
  const home = homePage(rooms)
  app.get('/', (_, reply) => sendPage(reply, home))
}
