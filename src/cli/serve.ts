import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { buildApp } from '../app.ts'
import { findOpenToOthers, openStores } from '../stores/open-stores.ts'
import type { Config } from '../config/config.ts'
import { createHttpsRedirect } from '../server/https-redirect.ts'
import { limitConnections } from '../limits/connection-limits.ts'
import { loadDriver } from '../stores/load-driver.ts'
import { createReadiness, type Readiness } from '../operations/readiness.ts'
import { demos } from '../demos/catalogue.ts'
import {
  findWorkerPort,
  isFirstProcess,
  isWorker,
  disconnectWorker,
  notifyOpened,
} from '../operations/workers.ts'

const stopSeconds = 10

/** Opens the service in this process, until a SIGTERM or SIGINT; throws what keeps it from opening. */
export async function serve(config: Config): Promise<void> {
  const readiness = createReadiness()
  // First and last: it tells that the rest is not there yet, or no longer.
  const admin = await openAdmin(config, readiness)
  try {
    await serveDemos(config, readiness, admin)
  } catch (error) {
    admin?.close()
    throw error
  }
}

async function serveDemos(config: Config, readiness: Readiness, admin?: Admin): Promise<void> {
  const warn = (problem: string) => {
    console.error(`vitrine: ${problem}`)
  }
  const stores = await openStores(config, warn)
  if (isFirstProcess()) findOpenToOthers(config).forEach(warn)
  const options = { config, stores, demos, readiness, metrics: admin?.metrics }
  const app = await buildApp(options).catch(async (error: unknown) => {
    // A connection that is left open would keep the process from ending.
    await stores.close()
    throw error
  })
  let redirect: Server | undefined
  const close = async () => {
    redirect?.close()
    await app.close()
    await stores.close()
  }
  try {
    // A name is looked up here: Fastify would open a second server, without our limits, for another
    // address of it.
    const { address: host } = await lookup(config.host)
    const address = await app.listen({ host, port: findWorkerPort() ?? config.port })
    redirect = await openRedirect(config, address)
    readiness.open(stores.records.collection('health'))
    // Before anybody is told that it is open, and may tell it to stop.
    const { drain } = readiness
    const { drainSeconds } = config
    stopAtSignals({ drainSeconds, drain, close, closeBackends: stores.close, admin })
    if (isFirstProcess()) console.log(`Vitrine is open at ${address}`)
    notifyOpened()
  } catch (error) {
    await close()
    throw error
  }
}

interface Stopping {
  drainSeconds: number
  drain: () => void
  /** Answers what is in flight, and closes everything but the admin port. */
  close: () => Promise<void>
  closeBackends: () => Promise<void>
  admin: Admin | undefined
}

function stopAtSignals({ drainSeconds, drain, close, closeBackends, admin }: Stopping): void {
  const stop = () => {
    // A second signal, of either kind, ends the process as it would any other.
    process.off('SIGTERM', stop).off('SIGINT', stop)
    drain()
    setTimeout(finish, drainSeconds * 1000)
  }
  const finish = () => {
    // What is still in flight by then is cut off.
    const exit = () => void closeBackends().finally(() => process.exit(0))
    setTimeout(exit, stopSeconds * 1000).unref()
    void close()
      .finally(() => admin?.close())
      .then(disconnectWorker)
  }
  process.on('SIGTERM', stop)
  // A terminal sends SIGINT to supervisor and workers alike, and the supervisor passes it on.
  process.on('SIGINT', isWorker ? () => undefined : stop)
}

type Admin = NonNullable<Awaited<ReturnType<typeof openAdmin>>>

/** Undefined where ADMIN_PORT is not set. A worker opens none: it answers its supervisor, who does. */
async function openAdmin(config: Config, { find }: Readiness) {
  const { adminPort } = config
  if (adminPort === undefined) return undefined
  const { createMetrics } = await loadDriver(
    'ADMIN_PORT',
    'prom-client',
    () => import('../operations/metrics.ts'),
  )
  const metrics = createMetrics()
  if (isWorker) {
    const { respondToSupervisor: answerSupervisor } =
      await import('../operations/worker-requests.ts')
    return { metrics, close: answerSupervisor({ readiness: find, metrics: metrics.toSnapshot }) }
  }
  const { openAdminServer } = await import('../operations/admin-server.ts')
  const source = { readReadiness: find, readMetrics: metrics.toText }
  return { metrics, close: await openAdminServer({ ...config, adminPort }, source) }
}

/** Listens for plain HTTP when a port for it is set; the caller closes it. */
async function openRedirect(config: Config, address: string): Promise<Server | undefined> {
  const { host, redirectHttpPort } = config
  if (redirectHttpPort === undefined) return undefined
  const redirect = createHttpsRedirect(config, Number(new URL(address).port || 443))
  limitConnections(redirect, config)
  redirect.listen(redirectHttpPort, host)
  await once(redirect, 'listening')
  const bound = redirect.address()
  const port = typeof bound === 'object' ? bound?.port : redirectHttpPort
  if (isFirstProcess()) console.log(`Plain HTTP is redirected from port ${String(port)}`)
  return redirect
}
