import { existsSync, readFileSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Every setting, once: its default, how its text is read, and what it means. The environment name
 * and the flag follow from the key: `maxBodyBytes` is `MAX_BODY_BYTES` and `--max-body-bytes`.
 */
interface Setting<Value> {
  /** As it would be written in the environment; `undefined` leaves the setting unset. */
  default: string | undefined
  /** Throws an Error whose message completes "MAX_BODY_BYTES must be …". */
  parse: (text: string) => Value
  description: string
}

function setting<Value>(
  fallback: string | undefined,
  parse: (text: string) => Value,
  description: string,
): Setting<Value> {
  return { default: fallback, parse, description }
}

export const bodyReaderNames = ['json', 'form', 'text', 'multipart'] as const
export type BodyReaderName = (typeof bodyReaderNames)[number]

export const settings = {
  host: setting('127.0.0.1', parseText, 'address to listen on'),
  port: setting('3000', parseInteger(0, 65_535), 'port; `0` picks a free one'),
  databaseUrl: setting(
    'sqlite:data/vitrine.db',
    parseDatabaseUrl,
    'where records are kept: `sqlite:path`, `sqlite::memory:` or `postgres://…`',
  ),
  durability: setting(
    'process',
    parseChoice(['process', 'full'] as const),
    'what an answered write of a record survives: the end of the `process`, or `full`: that of the machine',
  ),
  redisUrl: setting(
    undefined,
    parseOptional(parseRedisUrl),
    'where sessions are kept, if not with the records: `redis://host:6379`, `rediss:` for TLS',
  ),
  filesUrl: setting(
    'file:data/files',
    parseFilesUrl,
    'where uploaded files are kept: `file:path` or `s3://bucket/prefix?endpoint=https://host&region=name`',
  ),
  awsAccessKeyId: setting(undefined, parseText, 'the key with which `s3:` is asked'),
  awsSecretAccessKey: setting(undefined, parseText, 'the secret of that key'),
  rooms: setting('all', parseNames, 'comma-separated rooms to mount'),
  publicDir: setting('public', parseFolder, 'folder of static files'),
  workers: setting(
    '1',
    parseWorkers,
    'processes that share port, database and files; `auto` is one for each core',
  ),
  maxBodyBytes: setting(String(1024 * 1024), parseInteger(1, 1024 ** 3), 'a larger body gets 413'),
  maxUploadBytes: setting(
    String(10 * 1024 * 1024),
    parseInteger(1, 1024 ** 4),
    'a larger file in a multipart form gets 413',
  ),
  sessionIdleSeconds: setting(
    '1800',
    parseInteger(1, 400 * 24 * 3600),
    'a session ends when it was not used for so long',
  ),
  sessionMaxSeconds: setting(
    '43200',
    parseInteger(1, 400 * 24 * 3600),
    'a session ends after so long at the latest',
  ),
  tlsCert: setting(undefined, parseFile, 'certificate in PEM: with `TLS_KEY`, HTTPS and HTTP/2'),
  tlsKey: setting(undefined, parseFile, 'private key in PEM'),
  redirectHttpPort: setting(
    undefined,
    parseOptional(parseInteger(0, 65_535)),
    'port where plain HTTP is redirected to HTTPS',
  ),
  maxUrlBytes: setting('8192', parseInteger(64, 65_536), 'a longer address gets 414'),
  maxHeaderBytes: setting('16384', parseInteger(1024, 1_048_576), 'larger headers get 431'),
  maxParameters: setting(
    '200',
    parseInteger(1, 100_000),
    'more in one query string or form get 400',
  ),
  maxParameterDepth: setting('5', parseInteger(0, 100), 'brackets nested deeper get 400'),
  maxListItems: setting('100', parseInteger(1, 100_000), 'a longer list of parameters gets 400'),
  maxJsonDepth: setting('64', parseInteger(1, 1000), 'JSON nested deeper gets 400'),
  headersSeconds: setting(
    '10',
    parseInteger(1, 3600),
    'headers that are not there by then get 408',
  ),
  bodyIdleSeconds: setting(
    '30',
    parseInteger(1, 3600),
    'a body without a byte for so long gets 408',
  ),
  requestSeconds: setting('300', parseInteger(1, 86_400), 'a request not there by then gets 408'),
  maxConnections: setting('10000', parseInteger(1, 1_000_000), 'connections over it are dropped'),
  methodOverride: setting(
    'on',
    parseSwitch,
    'whether `_method` and `X-HTTP-Method-Override` are read',
  ),
  requireIfMatch: setting(
    'off',
    parseSwitch,
    'whether PUT, PATCH and DELETE of a record need `If-Match` (428)',
  ),
  bodyReaders: setting(
    bodyReaderNames.join(','),
    parseBodyReaders,
    'the kinds of body that are read; `none` reads none',
  ),
  corsOrigins: setting(
    undefined,
    parseOrigins,
    'comma-separated origins that may write from another site, and read with credentials',
  ),
  logLevel: setting(
    'info',
    parseChoice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    'how much is logged; `info` has a line per request',
  ),
}

type Settings = typeof settings
export type SettingName = keyof Settings
export type Config = { [Name in SettingName]: ReturnType<Settings[Name]['parse']> }

export const settingNames = Object.keys(settings) as SettingName[]

/** `maxBodyBytes` → `MAX_BODY_BYTES` */
export function toEnvironmentName(name: SettingName): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
}

/** `maxBodyBytes` → `max-body-bytes` */
export function toFlagName(name: SettingName): string {
  return toEnvironmentName(name).toLowerCase().replaceAll('_', '-')
}

/** All that is wrong with the settings, one line each. */
export class ConfigProblems extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/**
 * Reads every setting from `environment` (names as in {@link toEnvironmentName}); an empty value
 * counts as unset. `roomNames` are the rooms there are; `all` becomes all of them. Throws
 * {@link ConfigProblems} naming all the bad ones together.
 */
export function loadConfig(
  environment: Readonly<Record<string, string | undefined>>,
  roomNames: readonly string[],
): Config {
  const problems: string[] = []
  const entries = settingNames.map((name) => {
    const { parse, default: fallback } = settings[name]
    const text = environment[toEnvironmentName(name)] || fallback || ''
    try {
      return [name, parse(text)]
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      // What stands before the @ of an address may be a password.
      const shown = text.replace(/(?<=:\/\/)[^/]*@/, '…@')
      problems.push(`${toEnvironmentName(name)} must be ${reason}; it is "${shown}"`)
      return [name, undefined]
    }
  })
  const config = Object.fromEntries(entries) as Config
  if (config.rooms.includes('all')) config.rooms = roomNames
  const strangers = config.rooms.filter((name) => !roomNames.includes(name))
  if (strangers.length > 0 || config.rooms.length === 0) {
    const text = environment.ROOMS ?? ''
    problems.push(`ROOMS must be all, or some of ${roomNames.join(', ')}; it is "${text}"`)
  }
  if (!environment.TLS_CERT !== !environment.TLS_KEY) {
    problems.push('TLS_CERT and TLS_KEY must both be set, or neither')
  }
  if (config.redirectHttpPort !== undefined && !environment.TLS_KEY) {
    problems.push('REDIRECT_HTTP_PORT must be unset without TLS_CERT and TLS_KEY')
  }
  if (config.workers > 1 && config.databaseUrl === 'sqlite::memory:') {
    problems.push('WORKERS must be 1 where the database is in the memory of one process')
  }
  const hasKey = environment.AWS_ACCESS_KEY_ID && environment.AWS_SECRET_ACCESS_KEY
  if (environment.FILES_URL?.startsWith('s3:') && !hasKey) {
    problems.push('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set for FILES_URL')
  }
  if (problems.length > 0) throw new ConfigProblems(problems)
  return config
}

function parseText(text: string): string {
  return text
}

/** The default is the folder of that name, or, where there is none, the one that Vitrine brings. */
function parseFolder(text: string): string {
  const own = fileURLToPath(new URL('../public', import.meta.url))
  const folder = text === 'public' && !existsSync(text) ? own : resolve(text)
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder
  throw new Error('a folder that is there')
}

function parseInteger(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : NaN
    if (value >= minimum && value <= maximum) return value
    throw new Error(`a whole number from ${String(minimum)} to ${String(maximum)}`)
  }
}

function parseWorkers(text: string): number {
  if (text === 'auto') return availableParallelism()
  try {
    return parseInteger(1, 256)(text)
  } catch {
    throw new Error('auto or a whole number from 1 to 256')
  }
}

function parseChoice<Choice extends string>(choices: readonly Choice[]): (text: string) => Choice {
  return (text) => {
    const choice = choices.find((candidate) => candidate === text)
    if (choice !== undefined) return choice
    throw new Error(`one of ${choices.join(', ')}`)
  }
}

function parseOptional<Value>(parse: (text: string) => Value): (text: string) => Value | undefined {
  return (text) => (text === '' ? undefined : parse(text))
}

/** The content of a file; undefined where none is named. */
function parseFile(path: string): string | undefined {
  try {
    return path === '' ? undefined : readFileSync(path, 'utf8')
  } catch {
    throw new Error('a file that can be read')
  }
}

function parseFilesUrl(text: string): string {
  if (/^file:./.test(text) || isS3Url(text)) return text
  throw new Error('file:path/to/folder or s3://bucket/prefix?endpoint=https://host&region=name')
}

/** With characters alone that need no encoding, in an address or in XML. */
function isS3Url(text: string): boolean {
  const { searchParams } = URL.parse(text) ?? {}
  const endpoint = URL.parse(searchParams?.get('endpoint') ?? 'https://host')
  return (
    /^s3:\/\/[a-z0-9][a-z0-9.-]+(\/[\w.-]+)*\/?(\?[^?#]*)?$/.test(text) &&
    /^https?:$/.test(endpoint?.protocol ?? '') &&
    /^[\w-]*$/.test(searchParams?.get('region') ?? '')
  )
}

function parseSwitch(text: string): boolean {
  return parseChoice(['on', 'off'])(text) === 'on'
}

function parseNames(text: string): readonly string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

function parseBodyReaders(text: string): readonly BodyReaderName[] {
  if (text === 'none') return []
  try {
    return parseNames(text).map(parseChoice(bodyReaderNames))
  } catch {
    throw new Error(`none, or a comma-separated list of ${bodyReaderNames.join(', ')}`)
  }
}

function parseDatabaseUrl(text: string): string {
  if (/^(sqlite:|postgres(ql)?:\/\/)./.test(text)) return text
  throw new Error('sqlite:path/to/file.db, sqlite::memory: or postgres://user@host/name')
}

function parseRedisUrl(text: string): string {
  const isRedis = /^(redis|valkey)s?:$/.test(URL.parse(text)?.protocol ?? '')
  if (isRedis && URL.parse(text)?.hostname) return text
  throw new Error('redis://host:port, or rediss://host:port for TLS')
}

function parseOrigins(text: string): readonly string[] {
  return parseNames(text).map((origin) => {
    if (URL.canParse(origin) && new URL(origin).origin === origin) return origin
    throw new Error('a comma-separated list of origins such as https://example.org')
  })
}
