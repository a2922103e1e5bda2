import cluster from 'node:cluster'
import type { Supervised } from './supervisor-admin.ts'
import type { Config } from '../config/config.ts'
import { loadDriver } from '../stores/load-driver.ts'
import { findFreePort } from './free-port.ts'
import { findFirst, openChannel, type Handlers, type SendRequest } from './worker-channel.ts'

/** A worker that ends sooner would end again at once, so its successor starts after this delay. */
const minLifetimeMs = 1000

const portName = 'VITRINE_WORKER_PORT'

/** False in a worker of another program's cluster. */
export const isWorker = cluster.isWorker && portName in process.env

const handlers: Handlers = {}
const sendToSupervisor =
  isWorker && cluster.worker ? openChannel(cluster.worker, handlers) : undefined

/**
 * Runs the service in `workers` processes and replaces each that ends. Resolves with the exit code:
 * after a SIGTERM or SIGINT, when all have ended, or when the first worker cannot start.
 */
export async function superviseWorkers(config: Config): Promise<number> {
  const { workers: count, host, port } = config
  // With round-robin scheduling, connections on their way to a worker that ends would hang.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  const environment = { [portName]: String(port === 0 ? await findFreePort(host) : port) }
  const living = new Map<number, SendRequest>()
  const ended = Promise.withResolvers<number>()
  let state: 'starting' | 'running' | 'stopping' = 'starting'

  const start = () => {
    const startedAt = performance.now()
    const worker = cluster.fork(environment)
    const findInOthers = (key: string) => {
      const others = [...living].filter(([id]) => id !== worker.id)
      const found = others.map(([, send]) => send('exchange', key))
      return findFirst(found, (exchange) => exchange !== undefined)
    }
    living.set(worker.id, openChannel(worker, { opened: startOthers, exchange: findInOthers }))
    worker.once('exit', (code, signal) => {
      living.delete(worker.id)
      if (state === 'starting') {
        if (signal) console.error(`vitrine: cannot start: the first worker was ended by ${signal}`)
        ended.resolve(code || 1)
      } else if (state === 'running') {
        console.error(`vitrine: a worker ended (${signal || String(code)}) and is replaced`)
        const delayMs = performance.now() - startedAt > minLifetimeMs ? 0 : minLifetimeMs
        setTimeout(startIfRunning, delayMs)
      } else if (living.size === 0) ended.resolve(0)
    })
    // Messages to a worker that is ending may be lost.
    worker.on('error', () => undefined)
  }
  const startIfRunning = () => {
    if (state === 'running') start()
  }
  const startOthers = () => {
    if (state !== 'starting') return
    state = 'running'
    for (let index = 1; index < count; index += 1) start()
  }
  const stop = () => {
    process.off('SIGTERM', stop).off('SIGINT', stop)
    state = 'stopping'
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM')
    if (living.size === 0) ended.resolve(0)
  }

  const closeAdmin = await openAdmin(config, {
    workers: living,
    isStopping: () => state === 'stopping',
  })
  process.on('SIGTERM', stop).on('SIGINT', stop)
  // The first worker migrates the database and shows whether the service can start.
  start()
  return ended.promise.finally(closeAdmin)
}

/** Opens ADMIN_PORT if it is set; returns the function that closes it. */
async function openAdmin(config: Config, supervised: Supervised) {
  const { adminPort } = config
  if (adminPort === undefined) return undefined
  const load = () => import('./supervisor-admin.ts')
  const { openSupervisorAdmin } = await loadDriver('ADMIN_PORT', 'prom-client', load)
  return openSupervisorAdmin({ ...config, adminPort }, supervised)
}

/** Undefined if this process is not a worker. */
export function findWorkerPort(): number | undefined {
  return isWorker ? Number(process.env[portName]) : undefined
}

/** The channel to the supervisor would keep the process running. */
export function disconnectWorker(): void {
  if (isWorker) cluster.worker?.disconnect()
}

/** Tells the supervisor that the other workers can start. */
export function notifyOpened(): void {
  void sendToSupervisor?.('opened')
}

/** Messages that would be the same in all workers are printed by the first one. */
export function isFirstProcess(): boolean {
  return !isWorker || cluster.worker?.id === 1
}

export function addSupervisorHandlers(added: Handlers): void {
  Object.assign(handlers, added)
}

/** Finds a value that another worker has in memory, with the `find` of that worker. */
export function createWorkerLookup<Value>(
  find: (key: string) => Value | undefined,
): (key: string) => Promise<Value | undefined> {
  handlers.exchange = find
  return async (key) => (await sendToSupervisor?.('exchange', key)) as Value | undefined
}
