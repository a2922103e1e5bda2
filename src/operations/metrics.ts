import { monitorEventLoopDelay } from 'node:perf_hooks'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import packageJson from '../../package.json' with { type: 'json' }
import type { FinishedResponse } from '../http/response/observe-response.ts'
import type { Readiness } from './readiness.ts'

type ProcessState = Pick<Readiness, 'countConnections' | 'countRecords' | 'measure' | 'findWorking'>

export type Metrics = ReturnType<typeof createMetrics>

/** Other methods are counted as `other`: clients may send any word. */
const knownMethods = ['GET', 'HEAD', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export function createMetrics(readiness: ProcessState) {
  const register = new Registry()
  // A timer of prom-client measures delays, and wakes up a service at rest: it fires once in 24 days instead.
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: 2 ** 31 - 1 })
  addEventLoopDelays(register)
  addStates(readiness, [register])
  const { requests, durations, bytes, inFlight, dropped } = createInstruments([register])
  // Prometheus sees no increase of a series that begins with 1.
  for (const limit of ['MAX_CONNECTIONS', 'MAX_CONNECTIONS_PER_CLIENT']) dropped.inc({ limit }, 0)
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
    drop: (limit: string) => {
      dropped.inc({ limit })
    },
    render: () => register.metrics(),
  }
}

/** Replaces the gauges of prom-client. As there, each reading has the delays since the last one. */
function addEventLoopDelays(register: Registry): void {
  const histogram = monitorEventLoopDelay({ samplePerIteration: true })
  histogram.enable()
  const toNanoseconds = {
    min: () => histogram.min,
    max: () => histogram.max,
    mean: () => histogram.mean,
    stddev: () => histogram.stddev,
    p50: () => histogram.percentile(50),
    p90: () => histogram.percentile(90),
    p99: () => histogram.percentile(99),
  }
  for (const [part, find] of Object.entries(toNanoseconds)) {
    const name = `nodejs_eventloop_lag_${part}_seconds`
    register.removeSingleMetric(name)
    new Gauge({
      name,
      help: `Event loop delay since the last reading: ${part}.`,
      registers: [register],
      collect() {
        this.set(find() / 1e9)
        // The last of the gauges, which are read in their order.
        if (part === 'p99') histogram.reset()
      },
    })
  }
}

function addStates(
  { countConnections, countRecords, measure, findWorking }: ProcessState,
  registers: Registry[],
): void {
  new Gauge({
    name: 'http_connections',
    help: 'Open connections.',
    registers,
    async collect() {
      this.set(await countConnections())
    },
  })
  new Gauge({
    name: 'vitrine_records',
    help: 'Stored records of each kind, which MAX_RECORDS limits.',
    labelNames: ['kind'],
    registers,
    async collect() {
      for (const [kind, count] of await countRecords()) this.set({ kind }, count)
    },
  })
  new Gauge({
    name: 'vitrine_used',
    help: 'What is used of a limit: database_bytes, files_bytes, and clients of the last minute.',
    labelNames: ['what'],
    registers,
    async collect() {
      for (const [what, amount] of await measure()) this.set({ what }, amount)
    },
  })
  new Gauge({
    name: 'vitrine_dependency_up',
    help: 'Whether the database, the storage of files and Redis work: 1 or 0.',
    labelNames: ['dependency'],
    registers,
    async collect() {
      for (const [dependency, isUp] of await findWorking()) this.set({ dependency }, Number(isUp))
    },
  })
}

function createInstruments(registers: Registry[]) {
  new Gauge({
    name: 'vitrine_info',
    help: 'The running version.',
    labelNames: ['version'],
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
    dropped: new Counter({
      name: 'http_connections_dropped_total',
      help: 'Connections that were closed because the limit of this setting was reached.',
      labelNames: ['limit'],
      registers,
    }),
  }
}
