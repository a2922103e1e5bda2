import { hash, randomUUID } from 'node:crypto'
import { hostname, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { isLoopback } from './hosts.ts'
import { findNearest } from './find-nearest.ts'
import { isHarFile, isStubFile } from './find-stub-file.ts'
import { isUrl } from './parse-settings.ts'
import {
  publicDefaults,
  settingNames,
  settings,
  toEnvironmentName,
  toFlagName,
  type SettingName,
} from './settings.ts'

export type Config = {
  [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]['parse']>
}

export class ConfigProblems extends Error {}

type Environment = Readonly<Record<string, string | undefined>>

/** An empty value counts as unset. Throws {@link ConfigProblems} with all problems together. */
export function loadConfig(
  environment: Environment,
  demoNames: readonly string[],
  problems: string[] = [],
): Config {
  const invalid: string[] = []
  const entries = settingNames.map((name) => {
    const { parse, isSecret } = settings[name]
    const text = environment[toEnvironmentName(name)] || findDefault(name, environment)
    try {
      return [name, parse(text)]
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      const hasPassword = /:\/\/[^/]*@/.test(text)
      const shown = isSecret || hasPassword ? '' : `; it is "${text}"`
      invalid.push(toEnvironmentName(name))
      // Only this setting is given without its name.
      const isNamed = name !== 'dataFile' || shown === ''
      const subject = isNamed ? toEnvironmentName(name) : `${text} (DATA_FILE)`
      problems.push(`${subject} must be ${reason}${isNamed ? shown : ''}`)
      return [name, undefined]
    }
  })
  // One entry for each setting; those that are invalid end in an error below.
  const config = Object.fromEntries(entries) as Config
  config.demos = chooseDemos(config.demos, demoNames)
  moveStubs(config)
  if (config.dataFile !== undefined || config.dataFresh)
    Object.assign(config, findDataStores(config, environment))
  // A value that cannot be read conflicts with nothing.
  const isOfInvalid = (problem: string) =>
    invalid.some((name) => problem.match(/\w+/g)?.includes(name))
  const conflicts = findConflicts(config, environment, demoNames)
  problems.push(...conflicts.filter((problem) => !isOfInvalid(problem)))
  if (problems.length > 0)
    throw new ConfigProblems([...problems, ...findMisspelled(environment)].join('\n'))
  return config
}

/** A file is told apart by its content. Both settings can name the stubs. */
function moveStubs(config: Config): void {
  const { dataFile, responsesFile } = config
  if (dataFile === undefined || responsesFile !== undefined) return
  if (!isUrl(dataFile) && isStubFile(dataFile))
    Object.assign(config, { dataFile: undefined, responsesFile: dataFile })
}

/** `all`, some, or all but some: `-uploads`. Unknown names stay, for the error. */
function chooseDemos(given: readonly string[], all: readonly string[]): readonly string[] {
  if (given.join() === 'all') return all
  const others = all.filter((name) => !given.includes(`-${name}`))
  return given.length > 0 && others.length === all.length - given.length ? others : given
}

/** Each data file has a database and a folder of its own, and so has each fresh start. */
function findDataStores({ dataFile = '', dataFresh }: Config, environment: Environment) {
  const place = isUrl(dataFile) ? dataFile : resolve(dataFile)
  const [, name = ''] = /([\w-]*)[^/]*\/*$/.exec(place.replace(/[?#].*$/, '')) ?? []
  const suffix = hash('sha256', place).slice(0, 8)
  const kept = `data/${[name.slice(0, 60), suffix].filter(Boolean).join('-')}`
  const path = dataFresh ? `${nameFreshFolder()}/data` : kept
  return {
    ...(!environment.DATABASE_URL && { databaseUrl: `sqlite:${path}.db` }),
    ...(!environment.FILES_URL && { filesUrl: `file:${path}-files` }),
  }
}

/** The name has the host, because containers can share the folder and have processes of their own. */
const freshName = `vitrine-fresh-${hostname()}-`
const freshPrefix = join(tmpdir(), `${freshName}${String(process.pid)}-`)
/** The length of the id is fixed, so that a host `a` never takes a folder of a host `a-1` for its own. */
export const freshPattern = new RegExp(`^${RegExp.escape(freshName)}(\\d+)-[\\w-]{36}$`)

/** The path of a folder for what one start keeps until its end. */
export function nameFreshFolder(): string {
  return freshPrefix + randomUUID()
}

/** The folder of the database and the files of a fresh start, which its end removes. */
export function findFreshFolder(...urls: readonly string[]): string | undefined {
  const paths = urls.map((url) => url.replace(/^(sqlite|file):/, ''))
  const path = paths.find((path) => path.startsWith(freshPrefix))
  return path === undefined ? undefined : dirname(path)
}

const isLocal = ({ HOST: host }: Environment): boolean => isLoopback(host || settings.host.default)

function findDefault(name: keyof Config, environment: Environment): string {
  const { default: fallback, localDefault } = settings[name]
  const hasLocalDefaults = isLocal(environment) && !environment.TRUSTED_PROXIES
  const ofPreset = environment.PRESET === 'public' && publicDefaults[name]
  return ofPreset || (hasLocalDefaults && localDefault) || fallback
}

const dataSettings = [
  'dataSchema',
  'dataReload',
  'dataWatch',
  'jsonServer',
  'delayMs',
  'errorRate',
] as const

const toNames = (name: SettingName): string => `--${toFlagName(name)} (${toEnvironmentName(name)})`

function findConflicts(config: Config, environment: Environment, demoNames: readonly string[]) {
  const { demos, redirectHttpPort } = config
  const { DEMOS = '', TLS_CERT, TLS_KEY, TRUSTED_PROXIES, ALLOWED_HOSTS } = environment
  const { FILES_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = environment
  const isOfStubs = (name: string) => name === 'dataWatch' && config.responsesFile !== undefined
  const ofDataFile = dataSettings.filter((name) => config[name] && !isOfStubs(name))
  const har = [config.dataFile, config.responsesFile].find((path) => path && isHarFile(path))
  const conflicts = {
    [`${har ?? ''} is an HTTP Archive. Make stubs of it: vitrine import ${har ?? ''} stubs.yaml`]:
      har,
    [`DEMOS must be all, none, all but some (-uploads), or some of ${demoNames.join(', ')}; it is "${DEMOS}"`]:
      (demos.length === 0 && DEMOS !== 'none') || demos.some((name) => !demoNames.includes(name)),
    'ALLOWED_HOSTS must be set if HOST is a loopback address and TRUSTED_PROXIES is set: to the host names of the proxy, such as vitrine.example':
      isLocal(environment) && TRUSTED_PROXIES && !ALLOWED_HOSTS,
    'ADMIN_PORT must not be the same as PORT': config.adminPort && config.adminPort === config.port,
    'TLS_CERT and TLS_KEY must be set together': !TLS_CERT !== !TLS_KEY,
    'REDIRECT_HTTP_PORT requires TLS_CERT and TLS_KEY': redirectHttpPort !== undefined && !TLS_KEY,
    '--fresh (DATA_FRESH) keeps no records: unset DATABASE_URL':
      config.dataFresh && environment.DATABASE_URL,
    '--watch (DATA_WATCH) requires --fresh and a file, or stubs alone: vitrine db.json --fresh --watch':
      config.dataFile !== undefined &&
      config.dataWatch &&
      !(config.dataFresh && !isUrl(config.dataFile)),
    [`${ofDataFile.map(toNames).join(', ')} cannot be used without a data file: vitrine db.json`]:
      config.dataFile === undefined && !environment.DATA_FILE && ofDataFile.length > 0,
    'TEST_API lets every client replace all records: unset PRESET=public':
      config.testApi && config.preset === 'public',
    'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set for FILES_URL':
      FILES_URL?.startsWith('s3:') && !(AWS_ACCESS_KEY_ID && AWS_SECRET_ACCESS_KEY),
  }
  const found = Object.entries(conflicts).flatMap(([problem, exists]) => (exists ? [problem] : []))
  return [...found, ...findMissingPackages(environment)]
}

function findMissingPackages({ DATABASE_URL, REDIS_URL, FILES_URL, ADMIN_PORT }: Environment) {
  const users = {
    pg: DATABASE_URL?.startsWith('postgres') && 'DATABASE_URL',
    ioredis: REDIS_URL && 'REDIS_URL',
    aws4fetch: FILES_URL?.startsWith('s3:') && 'FILES_URL',
    'prom-client': ADMIN_PORT && 'ADMIN_PORT',
  }
  const missing = Object.entries(users).filter(([name, user]) => user && !isInstalled(name))
  if (missing.length === 0) return []
  const variables = missing.map(([, user]) => user).join(', ')
  const names = missing.map(([name]) => name).join(' ')
  return [`packages are missing for ${variables}: npm install ${names}`]
}

function isInstalled(name: string): boolean {
  try {
    return import.meta.resolve(name) !== ''
  } catch {
    return false
  }
}

export function findOpenInspector({ preset, inspector }: Config): string[] {
  if (preset !== 'public' || inspector !== 'all') return []
  return [
    'INSPECTOR=all shows the requests of each visitor to all others. A class may want this; otherwise unset it.',
  ]
}

export function findMisspelled(environment: Environment): string[] {
  const known = new Map(settingNames.map(toEnvironmentName).map((name) => [toSingular(name), name]))
  const names = [...known.values()]
  const singulars = [...known.keys()]
  return Object.keys(environment).flatMap((name) => {
    if (names.includes(name)) return []
    const bare = name.replace(/^VITRINE_/, '')
    const nearest = findNearest(toSingular(bare), singulars) ?? ''
    const meant =
      known.get(nearest) ?? names.find((each) => each.includes('_') && bare.startsWith(`${each}_`))
    return meant ? [`${name} is not a setting and is ignored. Did you mean ${meant}?`] : []
  })
}

const toSingular = (name: string) => name.replace(/IES$/, 'Y').replace(/S$/, '')
