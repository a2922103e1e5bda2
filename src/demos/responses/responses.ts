import { pageContent } from '../../http/openapi/content.ts'
import { toOrigin } from '../../http/request/request-head.ts'
import { isRawRequest } from '../../http/request/target.ts'
import { isPreflight } from '../../http/security/origins.ts'
import { faultNames } from '../../responses/faults.ts'
import { sendDescribed } from '../../responses/send.ts'
import type { Demo } from '../../site/demo.ts'
import { html } from '../../site/html.ts'
import { sendPage } from '../../site/page.ts'
import { toCacheRoutes } from './cache.ts'
import { toCustomRoutes } from './custom.ts'
import { toEchoRoutes } from './echo.ts'
import { cookiePath, type ToRoutes } from './endpoint.ts'
import { toFaultRoutes } from './fault.ts'
import { toRateRoutes } from './rate.ts'
import { toRedirectRoutes } from './redirect.ts'
import { toSequenceRoutes } from './sequence.ts'
import { renderResponsesPage } from './views.ts'

/** By the segment after `/responses/`. */
const endpoints: Readonly<Record<string, ToRoutes>> = {
  custom: toCustomRoutes,
  echo: toEchoRoutes,
  fault: toFaultRoutes,
  redirect: toRedirectRoutes,
  sequence: toSequenceRoutes,
  rate: toRateRoutes,
  cache: toCacheRoutes,
}

const toPageRoutes: ToRoutes = ({ config }, app) => [
  {
    method: 'GET',
    url: '/responses',
    summary: 'Get the page that composes a response',
    content: pageContent,
    handler: (request, reply) => {
      const routes = app.declaredRoutes.filter(({ tag }) => tag === responses.name)
      const page = {
        origin: toOrigin(request),
        routes,
        faults: config.responseFaults ? faultNames : [],
      }
      return sendPage(reply, renderResponsesPage(page))
    },
  },
]

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
  lookFor: html`The response is the described one, with a few headers that keep the service safe:
<code>Content-Security-Policy: sandbox</code> lets no script of it run.`,
  rawPaths: Object.keys(endpoints).map((name) => `/responses/${name}`),
  routes: (services, app) => {
    const { config } = services
    app.addHook('onRequest', (request, reply, done) => {
      if (isRawRequest(request.raw) && isPreflight(request.raw))
        void sendDescribed(reply, { status: 204 }, { config, cookiePath })
      else done()
    })
    return [toPageRoutes, ...Object.values(endpoints)].flatMap((toRoutes) =>
      toRoutes(services, app),
    )
  },
}
