import type { Route } from '../../http/openapi/route.ts'
import type { Demo } from '../../site/demo.ts'
import { html } from '../../site/html.ts'
import { sweepRegularly } from '../../stores/sweep-regularly.ts'
import { binRoutes } from './bin-routes.ts'
import { createBinStore } from './bin-store.ts'
import { captureRoutes } from './capture.ts'
import { collectionNames, collections } from './collections.ts'
import { openBinEvents } from './events.ts'
import { requestRoutes } from './request-routes.ts'
import { createRequestStore } from './request-store.ts'

export const bins: Demo = {
  name: collectionNames.bins,
  title: 'Request bins',
  summary: 'Create a URL that captures every request, and see the requests as they arrive.',
  group: 'Requests and responses',
  page: '/bins',
  samples: [{ title: 'Create a bin', method: 'POST', path: '/bins' }],
  lookFor: html`The response has the URL of the bin, and a secret that is needed to read what it captured. Everyone who
knows the URL can send to it.`,
  collections,
  rawPaths: ['/b'],
  routes: async (services, app) => {
    const { config, records } = services
    const requests = createRequestStore(services)
    await requests.index()
    const store = createBinStore(records, requests, config)
    sweepRegularly(app, { name: 'expired bins', everySeconds: 600, sweep: store.sweep })
    const all = { ...services, bins: store, requests }
    const events = await openBinEvents(app, records.changes)
    return [
      ...inFile('bin-routes', binRoutes(all, events)),
      ...inFile('request-routes', requestRoutes(all, events)),
      ...inFile('capture', captureRoutes(all, app.supportedMethods)),
    ]
  },
}

function inFile(name: string, routes: readonly Route[]): readonly Route[] {
  return routes.map((route) => ({ ...route, file: `src/demos/bins/${name}.ts` }))
}
