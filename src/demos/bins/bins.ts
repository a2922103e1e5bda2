import type { Demo } from '../../site/demo.ts'
import { sweepRegularly } from '../../stores/sweep-regularly.ts'
import { toBinRoutes } from './bin-routes.ts'
import { createBinStore } from './bin-store.ts'
import { toCaptureRoutes } from './capture.ts'
import { binCollections, collections } from './collections.ts'
import { openBinEvents } from './events.ts'
import { toRequestRoutes } from './request-routes.ts'
import { createRequestStore } from './request-store.ts'

export const bins: Demo = {
  name: binCollections.bins,
  title: 'Request bins',
  summary: 'Create a URL that captures every request, and see the requests as they arrive.',
  group: 'Requests and responses',
  page: '/bins',
  samples: [{ title: 'Create a bin', method: 'POST', path: '/bins' }],
  lookFor:
    'The response has the URL of the bin, and a secret that is needed to read what it captured. Everyone who knows the URL can send to it.',
  collections,
  routes: async ({ shared, ...given }, app) => {
    // A bin captures requests without a key, and is read with that of its sandbox.
    const services = { ...given, shared, ...shared }
    const { config, records, sandboxes } = services
    const requests = createRequestStore(services)
    await requests.index()
    const bins = createBinStore({ records, sandboxes }, requests, config)
    sweepRegularly(app, { name: 'expired bins', everySeconds: 600, sweep: bins.sweep })
    sandboxes.onEnd(bins.removeOfPlace)
    const events = await openBinEvents(app, records.changes, bins)
    const all = { ...services, bins, requests, events }
    return [
      ...toBinRoutes(all),
      ...toRequestRoutes(all),
      ...toCaptureRoutes(all, app.supportedMethods),
    ]
  },
}
