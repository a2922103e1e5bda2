import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import { pageContent } from '../../http/openapi/content.ts'
import type { Route } from '../../http/openapi/route.ts'
import { toOrigin } from '../../http/request/request-head.ts'
import { isPreflight } from '../../http/security/origins.ts'
import { tagParameter } from '../../responses/read-description.ts'
import { sendDescribed } from '../../responses/send.ts'
import type { Demo, Services } from '../../site/demo.ts'
import { sendPage } from '../../site/send-page.ts'
import { cacheEndpoints } from './cache.ts'
import { customEndpoints } from './custom.ts'
import { echoEndpoints } from './echo.ts'
import type { ResponseEndpoint } from './endpoint.ts'
import { faultEndpoints } from './fault.ts'
import { rateEndpoints } from './rate.ts'
import { redirectEndpoints } from './redirect.ts'
import { sequenceEndpoints } from './sequence.ts'
import { renderResponsesPage } from './views.ts'

/** Each name is the segment after `/responses/`, and that of the file. */
const endpoints: Readonly<Record<string, readonly ResponseEndpoint[]>> = {
  custom: customEndpoints,
  echo: echoEndpoints,
  fault: faultEndpoints,
  redirect: redirectEndpoints,
  sequence: sequenceEndpoints,
  rate: rateEndpoints,
  cache: cacheEndpoints,
}

const cookiePath = '/responses'

export const responses: Demo = {
  name: 'responses',
  title: 'Responses',
  summary: 'Any response that a client has to handle, as the URL describes it.',
  group: 'Requests and responses',
  page: '/responses',
  samples: [
    {
      title: 'A status code, a header and a body',
      method: 'GET',
      path: '/responses/custom',
      fields: { status: '503', header: 'Retry-After: 1', body: 'Try again.' },
    },
  ],
  lookFor:
    'The response is the described one, with a few headers that keep the service safe: `Content-Security-Policy: sandbox` lets no script of it run.',
  routes: (services, app) => {
    const { config } = services
    const sendPreflight: onRequestHookHandler = (request, reply, done) => {
      if (isPreflight(request.raw))
        void sendDescribed(reply, { status: 204 }, { config, cookiePath })
      else done()
    }
    const { supportedMethods: method } = app
    const listed = Object.entries(endpoints).flatMap(([name, group]) =>
      group.map(({ describe, toConfig, ...route }): Route => ({
        method,
        file: `src/demos/responses/${name}.ts`,
        ...route,
        parameters: [...(route.parameters ?? []), tagParameter],
        config: { ...route.config, isRaw: true },
        onRequest: [sendPreflight, route.onRequest ?? []].flat(),
        handler: async (request, reply) => {
          const given = toConfig?.(request, config) ?? config
          const description = await describe(request, { ...services, config: given })
          return sendDescribed(reply, description, { config: given, cookiePath })
        },
      })),
    )
    return [getPage(services, app), ...listed]
  },
}

const getPage = ({ config }: Services, app: FastifyInstance): Route => ({
  method: 'GET',
  url: '/responses',
  summary: 'Get the page that composes a response',
  content: pageContent,
  handler: (request, reply) => {
    const routes = app.declaredRoutes.filter(({ tag }) => tag === responses.name)
    const { responseFaults: hasFaults } = config
    return sendPage(reply, renderResponsesPage({ origin: toOrigin(request), routes, hasFaults }))
  },
})
