import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config/config.ts'
import { pageContent } from '../../http/openapi/content.ts'
import { registerRoutes } from '../../http/openapi/route.ts'
import { toOrigin } from '../../http/request/request-head.ts'
import type { Demo } from '../demo.ts'
import { sendPage } from '../send-page.ts'
import { renderHomePage } from './views.ts'

export function openHome(
  app: FastifyInstance,
  demos: readonly Demo[],
  { inspector }: Pick<Config, 'inspector'>,
): void {
  const home = renderHomePage(demos, inspector)
  registerRoutes(app, { file: import.meta.filename }, [
    {
      method: 'GET',
      url: '/',
      summary: 'Get the home page, which lists the demos',
      content: pageContent,
      handler: (request, reply) =>
        sendPage(reply, { ...home, image: `${toOrigin(request)}/assets/open-graph.png` }),
    },
  ])
}
