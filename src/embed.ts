import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createApp } from './app.ts'
import { openStores } from './stores/open-stores.ts'
import { findNearest } from './config/find-nearest.ts'
import { packageFolder } from './config/package-folder.ts'
import { freshPattern, loadConfig, nameFreshFolder, type Config } from './config/config.ts'
import { demos } from './demos/catalogue.ts'
import { removeDead } from './cli/remove-dead.ts'
import { seedRecords } from './cli/seed.ts'
import { settingNames, toEnvironmentName, toFlagName } from './config/settings.ts'
import { isSandboxKey, openKey, wrongKey } from './http/request/sandbox-key.ts'
import { runInScope } from './stores/sandboxes/sandboxes.ts'
import { openDemos } from './data-file/data-demos.ts'
import { resetDaily } from './test-api/daily-reset.ts'
import { resetAll } from './test-api/reset-all.ts'
import { listen } from './server/server.ts'

export interface Vitrine {
  /** Listens on a free loopback port and resolves with the origin, such as `http://127.0.0.1:49152`. */
  start(): Promise<string>
  seed(count: number): Promise<void>
  /** Removes everything that was stored; with `data`, its records are stored again. With a key, only in its sandbox. */
  reset(sandbox?: string): Promise<void>
  stop(): Promise<void>
}

export interface VitrineOptions {
  /** The names are those of the environment: `{ MAX_BODY_BYTES: '1000' }`. */
  settings?: Readonly<Record<string, string>>
  /** What a data file would contain. Not a Record: an interface has no index signature. */
  data?: object
  schema?: object
  dialect?: '0.17' | '1'
}

const optionNames = ['settings', 'data', 'schema', 'dialect']

/** Once in a process, because the folder can be large. */
let removing: Promise<void> | undefined

/** Ignores the environment. The caller must stop it, also if it was not started. */
export async function buildApp(options: VitrineOptions = {}): Promise<Vitrine> {
  const unknown = Object.keys(options).find((name) => !optionNames.includes(name))
  if (unknown !== undefined)
    throw new TypeError(`unknown option ${unknown}: the options are ${optionNames.join(', ')}`)
  const opened = new AsyncDisposableStack()
  await (removing ??= removeDead(tmpdir(), freshPattern, { recursive: true }))
  const folder = nameFreshFolder()
  mkdirSync(folder, { mode: 0o700 })
  opened.defer(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  try {
    const settings = { ...options.settings, ...writeDataFiles(options, folder) }
    return await openVitrine(parseSettings(settings, folder), opened)
  } catch (error) {
    await opened.disposeAsync()
    if (error instanceof Error) error.message = error.message.replaceAll(join(folder, '/'), '')
    throw error
  }
}

/** The data is passed in files, so that it is read and checked like a data file. */
function writeDataFiles({ data, schema, dialect }: VitrineOptions, folder: string) {
  const write = (name: string, contents: unknown) => {
    const file = join(folder, name)
    writeFileSync(file, JSON.stringify(contents))
    return file
  }
  return {
    ...(data && { DATA_FILE: write('data', data) }),
    ...(schema && { DATA_SCHEMA: write('schema', schema) }),
    ...(dialect && { JSON_SERVER: dialect }),
  }
}

async function openVitrine(config: Config, opened: AsyncDisposableStack): Promise<Vitrine> {
  const stores = await openStores(config)
  opened.defer(stores.close)
  const served = await openDemos(config, demos, { services: stores })
  const app = await createApp({ config: served.config, demos: served.demos, stores })
  resetDaily(app, { ...stores, config }, demos)
  opened.defer(() => app.close())
  const running = new Set<Promise<unknown>>()
  opened.defer(async () => {
    await Promise.allSettled(running)
  })
  const whileOpen = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    if (opened.disposed) throw new Error('this Vitrine is stopped')
    const result = run()
    running.add(result)
    return result.finally(() => running.delete(result))
  }
  let started: Promise<string> | undefined
  let stopped: Promise<void> | undefined
  return {
    start: () => whileOpen(() => (started ??= listen(app, config))),
    seed: (count) =>
      whileOpen(async () => {
        if (!Number.isSafeInteger(count) || count < 0)
          throw new RangeError('count must be a whole number')
        if (config.dataFile !== undefined)
          throw new Error('seed adds users and locations: put the records into data')
        await seedRecords(stores.records, count, undefined, config.sandboxRecords)
      }),
    reset: (sandbox) =>
      whileOpen(async () => {
        if (sandbox !== undefined && !isSandboxKey(sandbox)) throw new TypeError(wrongKey)
        const scope = sandbox === undefined ? undefined : { sandbox: openKey(sandbox) }
        await runInScope(scope, () => resetAll({ ...stores, config }, demos))
      }),
    stop: () => (stopped ??= opened.disposeAsync()),
  }
}

const processSettings = ['ADMIN_HOST', 'ADMIN_PORT', 'REDIRECT_HTTP_PORT']

function parseSettings(settings: Readonly<Record<string, string>>, folder: string): Config {
  const known = settingNames.map(toEnvironmentName)
  const problems = Object.keys(settings).flatMap((name) => {
    if (processSettings.includes(name)) return [`${name} is not supported inside another program`]
    return known.includes(name) ? [] : [`unknown setting ${name}${toHint(name, known)}`]
  })
  const defaults = {
    DATABASE_URL: `sqlite:${join(folder, 'records.db')}`,
    FILES_URL: `file:${join(folder, 'files')}`,
    LOG_LEVEL: 'silent',
    PORT: '0',
    // The other program may have a folder `public`.
    PUBLIC_DIR: fileURLToPath(new URL('public', packageFolder)),
  }
  const demoNames = demos.map(({ name }) => name)
  const given = Object.entries(settings).filter(([name]) => known.includes(name))
  return loadConfig({ ...defaults, ...Object.fromEntries(given) }, demoNames, problems)
}

/** Some flags have other names than their variables. */
function toHint(name: string, known: readonly string[]): string {
  // `maxBodyBytes`, `max-body-bytes` and `max_body_bytes` are spelled as in other places.
  const spelled = name
    .replace(/([a-z\d])(?=[A-Z])/g, '$1_')
    .replaceAll('-', '_')
    .toUpperCase()
  const isFlag = (setting: (typeof settingNames)[number]) =>
    toFlagName(setting).replaceAll('-', '_').toUpperCase() === spelled
  const flag = settingNames.find(isFlag)
  const nearest = flag === undefined ? findNearest(spelled, known) : toEnvironmentName(flag)
  return nearest === undefined ? '' : `: did you mean ${nearest}?`
}
