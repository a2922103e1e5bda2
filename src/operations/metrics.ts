import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import packageJson from '../../package.json' with { type: 'json' }
import type { FinishedResponse } from '../http/response/finish-responses.ts'

export type Metrics = ReturnType<typeof createMetrics>

/** Other methods are counted as `other`: clients may send any word. */
const knownMethods = ['GET', 'HEAD', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export function createMetrics() {
  const register = new Registry()
  collectDefaultMetrics({ register })
  const { requests, durations, bytes, inFlight } = createInstruments([register])
  return {
    begin: () => {
      inFlight.inc()
    },
    end: ({ method, route = 'none', status, ms, bytes: sent }: FinishedResponse) => {
      const labels = { method: knownMethods.includes(method) ? method : 'other', route }
      inFlight.dec()
      requests.inc({ ...labels, status: String(status ?? 'none') })
      durations.observe(labels, ms / 1000)
      bytes.inc(sent)
    },
    render: () => register.metrics(),
    readSnapshot: () => register.getMetricsAsJSON(),
  }
}

function createInstruments(registers: Registry[]) {
  new Gauge({
    name: 'vitrine_info',
    help: 'The running version.',
    labelNames: ['version'],
    aggregator: 'first',
    registers,
  }).set({ version: packageJson.version }, 1)
  return {
    requests: new Counter({
      name: 'http_requests_total',
      help: 'Completed responses, including those that the client did not wait for.',
      labelNames: ['method', 'route', 'status'],
      registers,
    }),
    durations: new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time from the request headers to the end of the response.',
      labelNames: ['method', 'route'],
      buckets: seconds,
      registers,
    }),
    bytes: new Counter({
      name: 'http_response_bytes_total',
      help: 'Bytes of response bodies, without headers and framing.',
      registers,
    }),
    inFlight: new Gauge({
      name: 'http_requests_in_flight',
      help: 'Requests whose response is not complete.',
      registers,
    }),
  }
}
