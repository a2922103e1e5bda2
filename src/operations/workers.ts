import cluster from 'node:cluster'
import type { Config } from '../config/config.ts'
import type { Count, Counters } from '../stores/counters/counters.ts'
import { findFreePort } from './free-port.ts'
import { onStopSignal } from './stop-signals.ts'
import { openChannel, type Handlers, type SendRequest, type Supervised } from './worker-channel.ts'
import { performance, setTimeout } from '../timers.ts'

/** A worker that ends sooner is replaced after this delay: its successor may fail too. */
const minLifetimeMs = 1000
const portName = 'VITRINE_WORKER_PORT'

/** False in a worker of another program's cluster. */
export const isWorker = cluster.isWorker && portName in process.env

export const workerPort = isWorker ? Number(process.env[portName]) : undefined

export const isFirstProcess = !isWorker || cluster.worker?.id === 1

export const handlers: Handlers = {}

export const sendToSupervisor =
  isWorker && cluster.worker ? openChannel(cluster.worker, handlers) : undefined

/** Those of all workers: the supervisor counts. */
export const sharedCounters: Counters | undefined = sendToSupervisor && {
  add: async (key) => {
    const count = await sendToSupervisor('count', key)
    if (isCount(count)) return count
    throw new Error('the supervisor does not respond')
  },
}

function isCount(value: unknown): value is Count {
  return typeof value === 'object' && value !== null && 'requests' in value && 'leftMs' in value
}

/** Resolves with the exit code: when all workers have ended, or when the first cannot start. */
export async function superviseWorkers(config: Config, counters: Counters): Promise<number> {
  // With round-robin scheduling, connections on their way to a worker that ends would hang.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  const port = config.port === 0 ? await findFreePort(config.host) : config.port
  const { promise: ended, resolve: end } = Promise.withResolvers<number>()
  const living = new Map<number, SendRequest>()
  const supervised: Supervised = {
    state: 'starting',
    living,
    port,
    count: config.workers,
    counters,
    end,
  }
  const stop = () => {
    supervised.state = 'stopping'
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM')
    if (living.size === 0) end(0)
  }
  const closeAdmin = await openAdminIfSet(config, supervised)
  onStopSignal(stop)
  startWorker(supervised)
  return ended.finally(closeAdmin)
}

function startWorker(supervised: Supervised): void {
  const { living, port, count, counters, end } = supervised
  const startedAt = performance.now()
  const worker = cluster.fork({ [portName]: String(port) })
  const startOthers = () => {
    if (supervised.state !== 'starting') return
    supervised.state = 'running'
    for (let index = 1; index < count; index += 1) startWorker(supervised)
  }
  const askOthers = (question: string) =>
    Promise.all(
      [...living].flatMap(([id, send]) => (id === worker.id ? [] : send('exchanges', question))),
    )
  const handlers = { opened: startOthers, exchanges: askOthers, count: counters.add }
  living.set(worker.id, openChannel(worker, handlers))
  worker.once('exit', (code, signal) => {
    living.delete(worker.id)
    if (supervised.state === 'starting') {
      if (signal) console.error(`vitrine: cannot start: the first worker was ended by ${signal}`)
      end(code || 1)
    } else if (supervised.state === 'running') {
      console.error(`vitrine: a worker ended (${signal || String(code)}) and is replaced`)
      const delayMs = performance.now() - startedAt > minLifetimeMs ? 0 : minLifetimeMs
      setTimeout(() => {
        if (supervised.state === 'running') startWorker(supervised)
      }, delayMs)
    } else if (living.size === 0) end(0)
  })
  // Messages to a worker that is ending may be lost.
  worker.on('error', () => undefined)
}

async function openAdminIfSet(config: Config, supervised: Supervised) {
  if (config.adminPort === undefined) return undefined
  const { openSupervisorAdmin } = await import('./supervisor-admin.ts')
  return openSupervisorAdmin(config, supervised)
}

export function disconnectWorker(): void {
  if (isWorker) cluster.worker?.disconnect()
}

/** The responses of all other workers but those that do not respond in time. */
export async function askOtherWorkers(question: string): Promise<readonly unknown[]> {
  const found: unknown = await sendToSupervisor?.('exchanges', question)
  const all: readonly unknown[] = Array.isArray(found) ? found : []
  return all.filter((one) => one !== null)
}
