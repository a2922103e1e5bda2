import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import packageJson from '../../package.json' with { type: 'json' }
import type { FinishedResponse } from '../http/response/response-observer.ts'

/** What one process counts of its requests, and of itself. */
export interface Metrics {
  /** A request has come; its answer is to be told to `end`. */
  begin: () => void
  end: (answer: FinishedResponse) => void
  /** In the text format of Prometheus. */
  toText: () => Promise<string>
  /** As they can be sent to another process. */
  toSnapshot: () => Promise<unknown>
}

/** A client may send any word: what is none of these is `other`. */
const knownMethods = ['GET', 'HEAD', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** In seconds: from what is at hand in memory to what waits for a slow client. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export function createMetrics(): Metrics {
  const register = new Registry()
  collectDefaultMetrics({ register })
  const { requests, seconds, bytes, inFlight } = createInstruments(register)
  return {
    begin: () => {
      inFlight.inc()
    },
    end: (answer) => {
      const method = knownMethods.includes(answer.method) ? answer.method : 'other'
      const labels = { method, route: answer.route ?? 'none' }
      inFlight.dec()
      requests.inc({ ...labels, status: String(answer.status ?? 'none') })
      seconds.observe(labels, answer.ms / 1000)
      bytes.inc(answer.bytes)
    },
    toText: () => register.metrics(),
    toSnapshot: () => register.getMetricsAsJSON(),
  }
}

function createInstruments(register: Registry) {
  const registers = [register]
  const info = new Gauge({
    name: 'vitrine_info',
    help: 'The version that runs.',
    labelNames: ['version'],
    aggregator: 'first',
    registers,
  })
  info.set({ version: packageJson.version }, 1)
  return {
    requests: new Counter({
      name: 'http_requests_total',
      help: 'Answers that have ended, those too that their client has not waited for.',
      labelNames: ['method', 'route', 'status'],
      registers,
    }),
    seconds: new Histogram({
      name: 'http_request_duration_seconds',
      help: "From the request's head to the end of the answer.",
      labelNames: ['method', 'route'],
      buckets,
      registers,
    }),
    bytes: new Counter({
      name: 'http_response_bytes_total',
      help: 'Bytes of content, without heads and framing.',
      registers,
    }),
    inFlight: new Gauge({
      name: 'http_requests_in_flight',
      help: 'Requests whose answer has not ended.',
      registers,
    }),
  }
}
