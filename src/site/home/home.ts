import type { FastifyInstance } from 'fastify'
import { pageContent } from '../../http/openapi/content.ts'
import { registerRoutes } from '../../http/openapi/route.ts'
import type { Demo } from '../demo.ts'
import { sendPage } from '../send-page.ts'
import { homePage } from './views.ts'

/** `GET /`: the list of the open demos. */
export function openHome(app: FastifyInstance, demos: readonly Demo[]): void {
  const home = homePage(demos)
  registerRoutes(app, { file: import.meta.filename }, [
    {
      method: 'GET',
      url: '/',
      summary: 'Get the home page, which lists the demos',
      content: pageContent,
      handler: (_, reply) => sendPage(reply, home),
    },
  ])
}
