import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../app.ts'
import { findFreshFolder, findOpenInspector, freshPattern, type Config } from '../config/config.ts'
import { openDemos } from '../data-file/data-demos.ts'
import { listPlaces } from '../data-file/find-oddities.ts'
import { formatCount } from '../config/format-count.ts'
import { demos as catalogue, fileCollections } from '../demos/catalogue.ts'
import { createReadiness, type Readiness } from '../operations/readiness.ts'
import { onStopSignal } from '../operations/stop-signals.ts'
import { findRewriteProblems } from '../http/request/rewrites.ts'
import { isLoopback } from '../config/hosts.ts'
import { openHttpsRedirect } from '../server/https-redirect.ts'
import { removeDead } from './remove-dead.ts'
import { watchFiles } from './watch-files.ts'
import { findNetworkOrigins } from '../server/network-origins.ts'
import { assertCanListen, listen } from '../server/server.ts'
import { findOpenToOthers, openStores, type Stores } from '../stores/open-stores.ts'
import { toReason } from '../stores/store-failure.ts'
import { resetDaily } from '../test-api/daily-reset.ts'
import { setTimeout } from '../timers.ts'

const maxStopSeconds = 10

export async function serve(config: Config): Promise<void> {
  const opened = new AsyncDisposableStack()
  await openService(config, opened).catch(async (error: unknown) => {
    await opened.disposeAsync()
    throw error
  })
}

async function openService(config: Config, opened: AsyncDisposableStack): Promise<void> {
  const freshFolder = findFreshFolder(config.databaseUrl, config.filesUrl)
  if (freshFolder !== undefined) {
    opened.defer(() => rm(freshFolder, { recursive: true, force: true }))
    await removeDead(tmpdir(), freshPattern, { recursive: true })
  }
  const readiness = createReadiness()
  // Opened first and closed last, so that it can report that the service is not ready.
  const metrics = await openAdminPort(config, readiness, opened)
  await assertCanListen(config)
  const parts = { readiness, metrics }
  const opening = await openApp(config, parts)
  const { stores } = opening
  opened.defer(stores.close)
  opened.defer(() => opening.app.close())
  findOpenInspector(config).forEach(warn)
  findOpenToOthers(config).forEach(warn)
  for (const problem of findRewriteProblems(config.rewrites)) warn(`REWRITES: ${problem}`)
  const current = { opening }
  const app = isReopened(config)
    ? await openFront(config, { ...parts, current, opened })
    : opening.app
  if (!config.dataWatch) opened.defer(watchFiles(listDataFiles(config), printChange))
  opened.defer(watchFiles([config.responsesFile], () => reloadStubs(config, current)))
  const origin = await listen(app, config)
  if (config.redirectHttpPort !== undefined) {
    const redirect = await openHttpsRedirect(config, new URL(origin), app.findBlock)
    opened.defer(() => void redirect.server.close())
    console.log(`HTTP on port ${redirect.port} is redirected to HTTPS`)
  }
  readiness.open(toWatched(stores, app))
  // Signals may arrive as soon as the message is printed.
  stopAtSignals(config, { readiness, log: app.log }, () => {
    close(opened, stores, () => {
      app.log.info('stopped')
    })
  })
  printOrigins(config, origin)
  if (config.jsonServer) console.log(`JSON is that of json-server ${config.jsonServer}`)
  printResources(origin, opening.paths)
}

function toWatched(stores: Stores, { server }: Pick<Opening['app'], 'server'>) {
  return { ...stores, measure: () => stores.measure(fileCollections), server }
}

function close(opened: AsyncDisposableStack, stores: Stores, logEnd: () => void): void {
  const exit = () =>
    void stores
      .close()
      .then(logEnd)
      .finally(() => process.exit(0))
  setTimeout(exit, maxStopSeconds * 1000).unref()
  void opened.disposeAsync().then(logEnd)
}

function printOrigins(config: Config, origin: string): void {
  const { host, preset, trustedProxies } = config
  const isLocal = isLoopback(host) && preset === 'none' && trustedProxies.length === 0
  const ofSettings = isLocal ? '' : ` (HOST=${host}, PRESET=${preset})`
  console.log(`Vitrine is listening on ${origin}${ofSettings}`)
  const others = findNetworkOrigins(config, origin)
  if (others.length > 0) console.log(`On this network: ${others.join(', ')}`)
}

const listDataFiles = ({ dataFile, dataSchema }: Config) => [dataFile, dataSchema]

/** A change of the data file opens the service again, with new records. */
const isReopened = ({ dataWatch, dataFile }: Config) => dataWatch && dataFile !== undefined

async function reloadStubs({ dataWatch }: Config, { opening }: Current): Promise<void> {
  if (!dataWatch) {
    console.log('The file of stubs has changed: --watch loads it at each change')
    return
  }
  try {
    console.log(`Loaded ${formatCount(await opening.reloadStubs(), 'stub')}`)
  } catch (error) {
    for (const line of toReason(error).split('\n')) warn(line)
    warn('the file of stubs was not loaded; the stubs of before are still served')
  }
}

const maxPrinted = 20

function printResources(origin: string, paths: readonly string[]): void {
  for (const path of paths.slice(0, maxPrinted)) console.log(`  ${origin}${path}`)
  const others = paths.length - maxPrinted
  if (others > 0) console.log(`  and ${String(others)} more: see ${origin}/docs`)
}

type Parts = Pick<Parameters<typeof createApp>[0], 'metrics'> & { readiness: Readiness }
type Opening = Awaited<ReturnType<typeof openApp>>
interface Current {
  opening: Opening
}

async function openApp(config: Config, parts: Parts) {
  const stores = await openStores(isReopened(config) ? withNewDatabase(config) : config, warn)
  try {
    const losses: string[] = []
    const notify = (loss: string) => losses.push(loss)
    const served = await openDemos(config, catalogue, { services: stores, notify })
    for (const notice of served.notices) console.log(notice)
    const paths = served.definitions.map(({ name }) => `/${encodeURIComponent(name)}`)
    const app = await createApp({ config: served.config, demos: served.demos, stores, ...parts })
    resetDaily(app, { ...stores, config: served.config }, catalogue)
    await app.ready()
    if (losses.length > 0) console.log(`The data file serves paths of demos: ${losses.join('; ')}`)
    const hidden = served.stubs.findHidden(app.declaredRoutes)
    if (hidden.length > 0) console.log(`Stubs come before ${listPlaces(hidden)}`)
    const { reloadStubs } = served
    return { app, stores, paths, reloadStubs, responses: new Set<ServerResponse>() }
  } catch (error) {
    await stores.close()
    throw error
  }
}

/** Each load of a watched file opens a database that is empty. */
function withNewDatabase(config: Config): Config {
  const folder = findFreshFolder(config.databaseUrl) ?? ''
  return { ...config, databaseUrl: `sqlite:${join(folder, `${randomUUID()}.db`)}` }
}

async function openFront(
  config: Config,
  { current, opened, ...parts }: Parts & { current: Current; opened: AsyncDisposableStack },
) {
  opened.defer(() => current.opening.stores.close())
  const { stores } = current.opening
  const front = await createApp({ config, stores, demos: [], ...parts })
  opened.defer(() => front.close())
  opened.defer(() => current.opening.app.close())
  const pass = () => {
    const { app, responses } = current.opening
    const routing: typeof app.routing = (request, response) => {
      responses.add(response)
      response.once('close', () => responses.delete(response))
      app.routing(request, response)
    }
    return Object.assign(front, { routing })
  }
  const reload = async () => {
    // Writes that the new records would replace get 503.
    current.opening.stores.setReadOnly?.(true)
    try {
      const next = await openApp(config, parts)
      const last = current.opening
      current.opening = next
      pass()
      parts.readiness.open(toWatched(next.stores, front))
      await last.app.close()
      void closeStores(last)
    } catch (error) {
      current.opening.stores.setReadOnly?.(false)
      for (const line of toReason(error).split('\n')) warn(line)
      warn('the data file was not loaded; the records of before are still served')
    }
  }
  opened.defer(watchFiles(listDataFiles(config), reload))
  return pass()
}

/** After the responses that are being sent, and what is still done for clients that left. */
async function closeStores({ stores, responses }: Opening): Promise<void> {
  await Promise.allSettled([...responses].map((response) => once(response, 'close')))
  setTimeout(() => void stores.close(), 1000).unref()
}

function printChange(file: string): void {
  const flags = '--reload loads it at a start, and --fresh --watch at each change'
  console.log(`${file} has changed. The running service keeps its records: ${flags}`)
}

function warn(problem: string): void {
  console.error(`vitrine: ${problem}`)
}

type Stopping = { readiness: Readiness } & Pick<Opening['app'], 'log'>

function stopAtSignals({ drainSeconds }: Config, { readiness, log }: Stopping, close: () => void) {
  onStopSignal(() => {
    const drain =
      drainSeconds > 0 ? `new requests are accepted for ${String(drainSeconds)} s, then ` : ''
    log.info(`stopping: ${drain}requests in progress end within ${String(maxStopSeconds)} s`)
    readiness.drain()
    setTimeout(close, drainSeconds * 1000)
  })
}

async function openAdminPort(config: Config, readiness: Readiness, opened: AsyncDisposableStack) {
  if (config.adminPort === undefined) return undefined
  const metrics = (await import('../operations/metrics.ts')).createMetrics(readiness)
  const { openAdminServer } = await import('../operations/admin-server.ts')
  const source = { readReadiness: readiness.find, readMetrics: metrics.render }
  opened.defer(await openAdminServer(config, source))
  return metrics
}
