import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config/config.ts'
import { pageContent } from '../../http/openapi/content.ts'
import { registerRoutes, type Route } from '../../http/openapi/route.ts'
import { toOrigin } from '../../http/request/request-head.ts'
import type { Demo } from '../demo.ts'
import type { Page } from '../page.ts'
import { sendPage } from '../send-page.ts'
import { renderHomePage } from './views.ts'

export function openHome(app: FastifyInstance, demos: readonly Demo[], config: Config): void {
  const home = getHome(renderHomePage(demos, config.inspector))
  registerRoutes(app, { file: import.meta.filename }, [home])
}

const getHome = (page: Page): Route => ({
  method: 'GET',
  url: '/',
  summary: 'Get the home page, which lists the demos',
  content: pageContent,
  handler: (request, reply) =>
    sendPage(reply, { ...page, image: `${toOrigin(request)}/assets/open-graph.png` }),
})
