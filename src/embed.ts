import { mkdtempSync, rmSync } from 'node:fs'
import { lookup } from 'node:dns/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildApp as buildService } from './app.ts'
import { openStores, type Stores } from './stores/open-stores.ts'
import { removeEverything } from './cli/reset.ts'
import { ConfigProblems, loadConfig, type Config } from './config/config.ts'
import { demos } from './demos/catalogue.ts'
import { seedRecords } from './cli/seed/seed.ts'
import { settingNames, toEnvironmentName } from './config/settings.ts'

/** The service inside another program, for example in the tests of a client. */
export interface Vitrine {
  /** Listens on a free loopback port and resolves with the origin, such as `http://127.0.0.1:49152`. */
  start(): Promise<string>
  /** Adds `count` locations and `count` users. */
  seed(count: number): Promise<void>
  /** Removes all records, sessions and files. */
  reset(): Promise<void>
  /** Completes the requests in flight, closes everything and removes the temporary folder. */
  stop(): Promise<void>
}

export interface VitrineOptions {
  /** By environment name: `{ MAX_BODY_BYTES: '1000' }`. */
  settings?: Readonly<Record<string, string>>
}

/**
 * Stores records in memory and files in a temporary folder, logs nothing and does not read the
 * environment. The caller must stop it, also if it was not started. Rejects with an error that names
 * all invalid settings.
 */
export async function buildApp({ settings = {} }: VitrineOptions = {}): Promise<Vitrine> {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-'))
  const removeFolder = () => {
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const config = parseSettings(settings, folder)
    return await open(config, removeFolder)
  } catch (error) {
    removeFolder()
    throw error
  }
}

async function open(config: Config, removeFolder: () => void): Promise<Vitrine> {
  const stores = await openStores(config)
  const app = await buildService({ config, stores, demos }).catch(async (error: unknown) => {
    await stores.close()
    throw error
  })
  const close = async () => {
    await Promise.allSettled(running)
    await app.close()
    await stores.close()
    removeFolder()
  }
  let started: Promise<string> | undefined
  let stopped: Promise<void> | undefined
  const listen = async () => {
    // As in serve.ts: Fastify would open a second server for a second address of a host name.
    const { address: host } = await lookup(config.host)
    return app.listen({ host, port: config.port })
  }
  const running = new Set<Promise<unknown>>()
  const whileOpen = async <Result>(run: (stores: Stores) => Promise<Result>): Promise<Result> => {
    if (stopped !== undefined) throw new Error('this Vitrine is stopped')
    const result = run(stores)
    running.add(result)
    return result.finally(() => running.delete(result))
  }
  return {
    start: () => whileOpen(() => (started ??= listen())),
    seed: (count) =>
      whileOpen(async ({ records }) => {
        if (!Number.isSafeInteger(count) || count < 0)
          throw new RangeError('count must be a whole number')
        await seedRecords(records, count)
      }),
    reset: () =>
      whileOpen(async (stores) => {
        await removeEverything(stores)
      }),
    stop: () => (stopped ??= close()),
  }
}

/** Settings of the whole process, which belongs to the other program. */
const processSettings = ['ADMIN_HOST', 'ADMIN_PORT', 'REDIRECT_HTTP_PORT', 'WORKERS']

function parseSettings(settings: Readonly<Record<string, string>>, folder: string): Config {
  const known = settingNames.map(toEnvironmentName)
  const problems = Object.keys(settings).flatMap((name) => {
    if (processSettings.includes(name)) return [`${name} is not supported inside another program`]
    return known.includes(name) ? [] : [`unknown setting ${name}`]
  })
  const defaults = {
    DATABASE_URL: 'sqlite::memory:',
    FILES_URL: `file:${join(folder, 'files')}`,
    LOG_LEVEL: 'silent',
    PORT: '0',
    // The other program may have a folder `public`.
    PUBLIC_DIR: fileURLToPath(new URL('../public', import.meta.url)),
  }
  try {
    const names = demos.map(({ name }) => name)
    const config = loadConfig({ ...defaults, ...settings }, names)
    if (problems.length === 0) return config
  } catch (error) {
    if (!(error instanceof ConfigProblems)) throw error
    problems.push(...error.problems)
  }
  throw new ConfigProblems(problems)
}
