import cluster from 'node:cluster'
import type { Config } from '../config/config.ts'
import { loadDriver } from '../stores/load-driver.ts'
import { findFreePort } from './free-port.ts'
import { findFirst, openChannel, type Handlers, type SendRequest } from './worker-channel.ts'

/** The successor of a worker that ends sooner starts after this delay: it could end at once too. */
const minLifetimeMs = 1000
const portName = 'VITRINE_WORKER_PORT'

/** False in a worker of another program's cluster. */
export const isWorker = cluster.isWorker && portName in process.env

export const workerPort = isWorker ? Number(process.env[portName]) : undefined

/** Messages that would be the same in all workers are printed by the first one. */
export const isFirstProcess = !isWorker || cluster.worker?.id === 1

/** For the requests of the supervisor. */
export const handlers: Handlers = {}

const sendToSupervisor =
  isWorker && cluster.worker ? openChannel(cluster.worker, handlers) : undefined

export interface Supervised {
  state: 'starting' | 'running' | 'stopping'
  /** By worker id. */
  living: Map<number, SendRequest>
}

/**
 * Runs the service in `workers` processes and replaces each that ends. Resolves with the exit code:
 * after a SIGTERM or SIGINT, when all have ended, or when the first worker cannot start.
 */
export async function superviseWorkers(config: Config): Promise<number> {
  // With round-robin scheduling, connections on their way to a worker that ends would hang.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  const port = config.port === 0 ? await findFreePort(config.host) : config.port
  const ended = Promise.withResolvers<number>()
  const supervised: Supervised = { state: 'starting', living: new Map() }
  const stop = () => {
    process.off('SIGTERM', stop).off('SIGINT', stop)
    supervised.state = 'stopping'
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM')
    if (supervised.living.size === 0) ended.resolve(0)
  }
  const closeAdmin = await openAdmin(config, supervised)
  process.on('SIGTERM', stop).on('SIGINT', stop)
  // The first worker migrates the database and shows whether the service can start.
  startWorker(supervised, { port, count: config.workers, end: ended.resolve })
  return ended.promise.finally(closeAdmin)
}

interface Start {
  port: number
  count: number
  /** Called with the exit code. */
  end: (code: number) => void
}

function startWorker(supervised: Supervised, start: Start): void {
  const { living } = supervised
  const startedAt = performance.now()
  const worker = cluster.fork({ [portName]: String(start.port) })
  const startOthers = () => {
    if (supervised.state !== 'starting') return
    supervised.state = 'running'
    for (let index = 1; index < start.count; index += 1) startWorker(supervised, start)
  }
  const findInOthers = (key: string) => {
    const others = [...living].filter(([id]) => id !== worker.id)
    const found = others.map(([, send]) => send('exchange', key))
    return findFirst(found, (exchange) => exchange !== undefined)
  }
  living.set(worker.id, openChannel(worker, { opened: startOthers, exchange: findInOthers }))
  worker.once('exit', (code, signal) => {
    living.delete(worker.id)
    if (supervised.state === 'starting') {
      if (signal) console.error(`vitrine: cannot start: the first worker was ended by ${signal}`)
      start.end(code || 1)
    } else if (supervised.state === 'running') {
      console.error(`vitrine: a worker ended (${signal || String(code)}) and is replaced`)
      const delayMs = performance.now() - startedAt > minLifetimeMs ? 0 : minLifetimeMs
      setTimeout(() => {
        if (supervised.state === 'running') startWorker(supervised, start)
      }, delayMs)
    } else if (living.size === 0) start.end(0)
  })
  // Messages to a worker that is ending may be lost.
  worker.on('error', () => undefined)
}

/** Opens ADMIN_PORT if it is set; returns the function that closes it. */
async function openAdmin(config: Config, supervised: Supervised) {
  if (config.adminPort === undefined) return undefined
  const load = () => import('./supervisor-admin.ts')
  const { openSupervisorAdmin } = await loadDriver('ADMIN_PORT', 'prom-client', load)
  return openSupervisorAdmin(config, supervised)
}

/** The channel to the supervisor would keep the process running. */
export function disconnectWorker(): void {
  if (isWorker) cluster.worker?.disconnect()
}

/** Tells the supervisor that the other workers can start. */
export function notifyOpened(): void {
  void sendToSupervisor?.('opened')
}

/** Finds a value that another worker has in memory, with the `find` of that worker. */
export function createWorkerLookup<Value>(find: (key: string) => Value | undefined) {
  handlers.exchange = find
  return async (key: string) => (await sendToSupervisor?.('exchange', key)) as Value | undefined
}
