import { mkdtempSync, rmSync } from 'node:fs'
import { lookup } from 'node:dns/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildApp as buildInside } from './app.ts'
import { openStores, type Stores } from './stores/open-stores.ts'
import { removeEverything } from './cli/reset.ts'
import { ConfigProblems, loadConfig, type Config } from './config/config.ts'
import { demos } from './demos/catalogue.ts'
import { seedRecords } from './cli/seed/seed-records.ts'
import { settingNames, toEnvironmentName } from './config/settings.ts'

/** The whole service inside another program, such as the tests of a client. */
export interface Vitrine {
  /** Opens it on a free port of the loopback address; resolves with its origin, `http://127.0.0.1:49152`. */
  start(): Promise<string>
  /** So many locations and users more. */
  seed(count: number): Promise<void>
  /** Everything that was kept is gone. */
  reset(): Promise<void>
  /** Answers what is in flight, closes everything, removes its temporary folder; for good. */
  stop(): Promise<void>
}

export interface VitrineOptions {
  /** Named as in the environment: `{ MAX_BODY_BYTES: '1000' }`. */
  settings?: Readonly<Record<string, string>>
}

/**
 * Makes a service of its own: records in memory, files in a temporary folder, nothing logged, and
 * nothing read from the environment. Whoever asks for it stops it, started or not. Rejects with an
 * error that names all settings that are wrong.
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
  const app = await buildInside({ config, stores, demos: demos }).catch(async (error: unknown) => {
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
    // As in serve.ts: a name may have two addresses, and would get two servers.
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
          throw new RangeError('seed takes a whole number')
        await seedRecords(records, count)
      }),
    reset: () =>
      whileOpen(async (stores) => {
        await removeEverything(stores)
      }),
    stop: () => (stopped ??= close()),
  }
}

/** What the process around it has for itself. */
const notHere = ['ADMIN_HOST', 'ADMIN_PORT', 'REDIRECT_HTTP_PORT', 'WORKERS']

function parseSettings(settings: Readonly<Record<string, string>>, folder: string): Config {
  const known = settingNames.map(toEnvironmentName)
  const problems = Object.keys(settings).flatMap((name) => {
    if (notHere.includes(name)) return [`${name} cannot be set inside another program`]
    return known.includes(name) ? [] : [`there is no setting ${name}`]
  })
  const defaults = {
    DATABASE_URL: 'sqlite::memory:',
    FILES_URL: `file:${join(folder, 'files')}`,
    LOG_LEVEL: 'silent',
    PORT: '0',
    // Not a folder of this name that the other program has.
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
