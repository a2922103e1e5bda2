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
  addSupervisorHandlers,
  disconnectWorker,
  findWorkerPort,
  isFirstProcess,
  isWorker,
  notifyOpened,
} from '../operations/workers.ts'

const maxStopSeconds = 10

/** Serves in this process until SIGTERM or SIGINT. Throws if the service cannot start. */
export async function serve(config: Config): Promise<void> {
  const readiness = createReadiness()
  // Opened first and closed last, so that it can report that the service is not ready.
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
    // An open connection would keep the process running.
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
    // Fastify would open a second server, without our limits, for a second address of a host name.
    const { address: host } = await lookup(config.host)
    const origin = await app.listen({ host, port: findWorkerPort() ?? config.port })
    redirect = await openRedirect(config, origin)
    readiness.open(stores.records.collection('health'))
    // Before the message, after which a signal may arrive.
    stopAtSignals({ config, readiness, close, closeStores: stores.close, admin })
    if (isFirstProcess()) console.log(`Vitrine is listening on ${origin}`)
    notifyOpened()
  } catch (error) {
    await close()
    throw error
  }
}

interface Running {
  config: Config
  readiness: Readiness
  /** Completes the requests in flight and closes everything except the admin port. */
  close: () => Promise<void>
  closeStores: () => Promise<void>
  admin: Admin | undefined
}

function stopAtSignals({ config, readiness, close, closeStores, admin }: Running): void {
  const stop = () => {
    // A second signal ends the process at once.
    process.off('SIGTERM', stop).off('SIGINT', stop)
    readiness.drain()
    setTimeout(finish, config.drainSeconds * 1000)
  }
  const finish = () => {
    const exit = () => void closeStores().finally(() => process.exit(0))
    setTimeout(exit, maxStopSeconds * 1000).unref()
    void close()
      .finally(() => admin?.close())
      .then(disconnectWorker)
  }
  process.on('SIGTERM', stop)
  // A terminal sends SIGINT to the workers too; they wait for SIGTERM from the supervisor.
  process.on('SIGINT', isWorker ? () => undefined : stop)
}

type Admin = NonNullable<Awaited<ReturnType<typeof openAdmin>>>

/** Undefined if ADMIN_PORT is not set. In a worker the supervisor opens the port. */
async function openAdmin(config: Config, { find }: Readiness) {
  const { adminPort } = config
  if (adminPort === undefined) return undefined
  const load = () => import('../operations/metrics.ts')
  const { createMetrics } = await loadDriver('ADMIN_PORT', 'prom-client', load)
  const metrics = createMetrics()
  if (isWorker) {
    addSupervisorHandlers({ readiness: find, metrics: metrics.readSnapshot })
    return { metrics, close: () => undefined }
  }
  const { openAdminServer } = await import('../operations/admin-server.ts')
  const source = { readReadiness: find, readMetrics: metrics.render }
  return { metrics, close: await openAdminServer({ ...config, adminPort }, source) }
}

/** Undefined if REDIRECT_HTTP_PORT is not set. The caller closes the server. */
async function openRedirect(config: Config, origin: string): Promise<Server | undefined> {
  const { host, redirectHttpPort } = config
  if (redirectHttpPort === undefined) return undefined
  const redirect = createHttpsRedirect(config, Number(new URL(origin).port || 443))
  limitConnections(redirect, config)
  redirect.listen(redirectHttpPort, host)
  await once(redirect, 'listening')
  const bound = redirect.address()
  const port = typeof bound === 'object' ? bound?.port : redirectHttpPort
  if (isFirstProcess()) console.log(`HTTP on port ${String(port)} is redirected to HTTPS`)
  return redirect
}
