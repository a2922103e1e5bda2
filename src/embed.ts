import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createApp } from './app.ts'
import { createTestMethods, toScope } from './test-methods.ts'
import { openStores } from './stores/open-stores.ts'
import { findNearest } from './config/find-nearest.ts'
import { packageFolder } from './config/package-folder.ts'
import { freshPattern, loadConfig, nameFreshFolder, type Config } from './config/config.ts'
import { demos } from './demos/catalogue.ts'
import { removeDead } from './cli/remove-dead.ts'
import { seedRecords } from './cli/seed.ts'
import { settingNames, toEnvironmentName, toFlagName } from './config/settings.ts'
import { runInScope } from './stores/sandboxes/sandboxes.ts'
import { openDemos } from './data-file/data-demos.ts'
import { resetDaily } from './test-api/daily-reset.ts'
import { resetAll } from './test-api/reset-all.ts'
import { listen } from './server/server.ts'

export interface Vitrine {
  /** Listens on a free loopback port and resolves with the origin, such as `http://127.0.0.1:49152`. */
  start(): Promise<string>
  /** Adds users and locations. With a key, in its sandbox. */
  seed(count: number, sandbox?: string): Promise<void>
  /** Removes everything that was stored; with `data`, its records are stored again. With a key, only in its sandbox. */
  reset(sandbox?: string): Promise<void>
  readonly responses: Responses
  /** The requests that were received, the oldest first. `path` is a part of the path and the query string. */
  requests(filter?: RequestFilter): Promise<ReceivedRequest[]>
  /** Saves all records under a name. */
  snapshot(name: string): Promise<void>
  restore(name: string): Promise<void>
  /** Sends a request without a port. An object in `body` is sent as JSON. */
  inject(request: InjectedRequest): Promise<Response>
  stop(): Promise<void>
}

/** The stubs, as docs/stubs.md describes them. With a key, those of its sandbox. */
export interface Responses {
  /** Replaces all stubs, also those of the option. */
  set(stubs: object, sandbox?: string): Promise<void>
  /** Adds one before all others: `responses.add('POST /sum', (request) => ({ json: request.json.a }))` */
  add(name: string, response: object | Respond, sandbox?: string): Promise<void>
}

export type Respond = (request: StubRequest) => object | Promise<object>

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- The caller knows the form of its own requests.
type Given = any

/** What the conditions and templates of a stub can name. */
export interface StubRequest {
  readonly method: string
  /** The groups of the path: `request.path.id`. */
  readonly path: Readonly<Record<string, Given>>
  readonly wholePath: string
  readonly query: Readonly<Record<string, Given>>
  readonly header: Readonly<Record<string, Given>>
  readonly cookie: Readonly<Record<string, Given>>
  readonly json: Given
  readonly form: Readonly<Record<string, Given>>
  readonly body: string
}

export interface RequestFilter {
  method?: string
  path?: string
  /** The name of the stub that responded. */
  stub?: string
  sandbox?: string
}

export interface ReceivedRequest {
  id: string
  receivedAt: string
  method: string
  target: string
  path: string
  requestFields: readonly (readonly [name: string, value: string])[]
  /** The first 64 KiB: as text if it is UTF-8. */
  requestBody?: ReceivedBody | undefined
  status?: number | undefined
  stub?: string | undefined
  /** From 1. */
  alternative?: number | undefined
  /** Why no stub responded to a request that got 404. */
  nearest?:
    | { stub: string; differences: readonly { name: string; expected: unknown; actual: unknown }[] }
    | undefined
}

export interface ReceivedBody {
  size: number
  isCut: boolean
  text?: string | undefined
  hex?: string | undefined
}

export interface InjectedRequest {
  method?: string
  url: string
  headers?: Readonly<Record<string, string>>
  body?: string | Uint8Array | object
}

export interface VitrineOptions {
  /** The names are those of the environment: `{ MAX_BODY_BYTES: '1000' }`. */
  settings?: Readonly<Record<string, string>>
  /** What a data file would contain. Not a Record: an interface has no index signature. */
  data?: object
  schema?: object
  dialect?: '0.17' | '1'
  /** What a file of stubs would contain. */
  responses?: object
}

const optionNames = ['settings', 'data', 'schema', 'dialect', 'responses']

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
function writeDataFiles({ data, schema, dialect, responses }: VitrineOptions, folder: string) {
  const write = (name: string, contents: unknown) => {
    const file = join(folder, name)
    writeFileSync(file, JSON.stringify(contents))
    return file
  }
  return {
    ...(data && { DATA_FILE: write('data', data) }),
    ...(responses && { RESPONSES_FILE: write('responses', responses) }),
    ...(schema && { DATA_SCHEMA: write('schema', schema) }),
    ...(dialect && { JSON_SERVER: dialect }),
  }
}

async function openVitrine(config: Config, opened: AsyncDisposableStack): Promise<Vitrine> {
  const stores = await openStores(config)
  opened.defer(stores.close)
  const served = await openDemos(config, demos, { services: stores, canChangeStubs: true })
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
  const own = createTestMethods({ app, config, stores, served })
  return {
    start: () => whileOpen(() => (started ??= listen(app, config))),
    seed: (count, sandbox) =>
      whileOpen(async () => {
        if (!Number.isSafeInteger(count) || count < 0)
          throw new RangeError('count must be a whole number')
        if (config.dataFile !== undefined)
          throw new Error('seed adds users and locations: put the records into data')
        // What other sandboxes begin with is outside of each.
        const pristine = sandbox === undefined ? config.sandboxRecords : 0
        await runInScope(toScope(sandbox), () =>
          seedRecords(stores.records, count, undefined, pristine),
        )
      }),
    reset: (sandbox) =>
      whileOpen(async () => {
        await runInScope(toScope(sandbox), async () => {
          await resetAll({ ...stores, config }, demos)
          served.stubs.changes.reset()
        })
      }),
    responses: {
      set: (stubs, sandbox) => whileOpen(() => own.setStubs(stubs, sandbox)),
      add: (name, response, sandbox) => whileOpen(() => own.addStub(name, response, sandbox)),
    },
    requests: (filter = {}) => whileOpen(() => own.findRequests(filter)),
    snapshot: (name) => whileOpen(() => own.snapshot(name)),
    restore: (name) => whileOpen(() => own.restore(name)),
    inject: (request) => whileOpen(() => own.inject(request)),
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
