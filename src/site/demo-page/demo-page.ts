import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config/config.ts'
import { notFound } from '../../http/errors/http-error.ts'
import { pageContent, pathParameter } from '../../http/openapi/content.ts'
import { registerRoutes, type Route } from '../../http/openapi/route.ts'
import { toPathParameter } from '../../http/request/target.ts'
import { servesFile, type Demo } from '../demo.ts'
import { sendPage } from '../send-page.ts'
import { renderDemoPage } from './views.ts'

export function openDemoPages(app: FastifyInstance, demos: readonly Demo[], config: Config): void {
  registerRoutes(app, { file: import.meta.filename }, [getDemoPage(app, demos, config)])
}

const getDemoPage = (app: FastifyInstance, demos: readonly Demo[], config: Config): Route => ({
  method: 'GET',
  url: '/demos/:name',
  summary: 'Get the page of a demo, which sends sample requests',
  parameters: [pathParameter('name', 'The name of the demo.', demos[0]?.name ?? '')],
  content: pageContent,
  errors: [404],
  handler: async (request, reply) => {
    const name = toPathParameter(request, 'name')
    const demo = demos.find((one) => one.name === name)
    if (demo === undefined) throw notFound(`There is no demo with the name ${name}.`)
    const hasForm = demo.form !== undefined && (await servesFile(config, demo.form))
    return sendPage(reply, renderDemoPage(demo, app.declaredRoutes, hasForm))
  },
})
