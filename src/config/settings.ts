import { localHosts } from '../http/security/allowed-hosts.ts'
import {
  bodyReaderNames,
  parseBodyReaders,
  parseChoice,
  parseDatabaseUrl,
  parseFile,
  parseFilesUrl,
  parseFolder,
  parseHosts,
  parseInteger,
  parseLimit,
  parseNames,
  parseNetworks,
  parseOptional,
  parseOrigins,
  parseOverride,
  parseRedisUrl,
  parseSwitch,
  parseText,
  parseWorkers,
} from './parse-settings.ts'

interface Options {
  /** Replaces the default with PRESET=public. */
  publicDefault?: string
  /** Replaces the default if HOST is a loopback address and TRUSTED_PROXIES is not set. */
  localDefault?: string
  /** Whether the value must not be printed. */
  isSecret?: boolean
}

interface Setting<Value> extends Options {
  /** As in the environment; `undefined` leaves the setting unset. */
  default: string | undefined
  /** Throws an Error whose message completes "MAX_BODY_BYTES must be …". */
  parse: (text: string) => Value
  description: string
}

function setting<Value>(
  fallback: string | undefined,
  parse: (text: string) => Value,
  description: string,
  options: Options = {},
): Setting<Value> {
  return { default: fallback, parse, description, ...options }
}

type Range = readonly [minimum: number, maximum: number]

function integer(
  fallback: number,
  range: Range,
  description: string,
  options?: Options,
): Setting<number> {
  return setting(String(fallback), parseInteger(range), description, options)
}

/** Off by default. */
function limit(
  range: Range,
  description: string,
  publicDefault?: string,
): Setting<number | undefined> {
  return setting('off', parseLimit(range), description, publicDefault ? { publicDefault } : {})
}

const isSecret = { isSecret: true }
const kibibyte = 1024
const mebibyte = 1024 ** 2
const hour = 3600
const day = 24 * hour

/** `maxBodyBytes` is `MAX_BODY_BYTES` in the environment and `--max-body-bytes` as a flag. */
export const settings = {
  preset: setting(
    'none',
    parseChoice(['none', 'public'] as const),
    'other defaults: `public` sets limits for an instance that is open to the public',
  ),
  host: setting('127.0.0.1', parseText, 'address to listen on'),
  port: integer(3000, [0, 65_535], 'port to listen on; `0` selects a free port'),
  databaseUrl: setting(
    'sqlite:data/vitrine.db',
    parseDatabaseUrl,
    'database of the records: `sqlite:path`, `sqlite::memory:` or `postgres://…`',
    isSecret,
  ),
  durability: setting(
    'process',
    parseChoice(['process', 'full'] as const),
    '`process`: acknowledged writes survive a crash of the process. `full`: they also survive a power failure',
  ),
  redisUrl: setting(
    undefined,
    parseOptional(parseRedisUrl),
    'Redis for sessions and for rate limits that all processes share: `redis://host:6379`, or `rediss:` for TLS',
    isSecret,
  ),
  filesUrl: setting(
    'file:data/files',
    parseFilesUrl,
    'storage of uploaded files: `file:path` or `s3://bucket/prefix?endpoint=https://host&region=name`',
    isSecret,
  ),
  awsAccessKeyId: setting(undefined, parseText, 'access key for `s3:`', isSecret),
  awsSecretAccessKey: setting(undefined, parseText, 'secret access key for `s3:`', isSecret),
  adminHost: setting('127.0.0.1', parseText, 'address to listen on for `ADMIN_PORT`'),
  adminPort: setting(
    undefined,
    parseOptional(parseInteger([0, 65_535])),
    'port of the health checks and metrics; `0` selects a free port',
  ),
  trustedProxies: setting(
    undefined,
    parseNetworks,
    'comma-separated addresses and CIDRs of proxies whose `X-Forwarded-For`, `-Proto` and `-Host` are trusted',
  ),
  allowedHosts: setting(
    '*',
    parseHosts,
    'comma-separated values of `Host` to accept; others get 421: `vitrine.example`, `*.vitrine.example`, `ip` for any IP address, `*` for all. Default with a loopback `HOST`: `localhost,*.localhost,ip`',
    { localDefault: localHosts.join(',') },
  ),
  demos: setting('all', parseNames, 'comma-separated demos to mount'),
  publicDir: setting('public', parseFolder, 'folder of static files'),
  workers: setting(
    '1',
    parseWorkers,
    'processes that share the port, the database and the files; `auto` starts one per core',
  ),
  maxBodyBytes: integer(mebibyte, [1, 1024 ** 3], 'larger request bodies get 413', {
    publicDefault: String(64 * kibibyte),
  }),
  maxUploadBytes: integer(10 * mebibyte, [1, 1024 ** 4], 'larger uploaded files get 413', {
    publicDefault: String(mebibyte),
  }),
  sessionIdleSeconds: integer(1800, [1, 400 * day], 'a session ends after this time without use'),
  sessionMaxSeconds: integer(12 * hour, [1, 400 * day], 'maximum lifetime of a session'),
  tlsCert: setting(
    undefined,
    parseFile,
    'file of the certificate in PEM; with `TLS_KEY` it enables HTTPS and HTTP/2',
    isSecret,
  ),
  tlsKey: setting(undefined, parseFile, 'file of the private key in PEM', isSecret),
  redirectHttpPort: setting(
    undefined,
    parseOptional(parseInteger([0, 65_535])),
    'port on which HTTP is redirected to HTTPS',
  ),
  maxUrlBytes: integer(8192, [64, 65_536], 'longer URLs get 414'),
  maxHeaderBytes: integer(16_384, [1024, mebibyte], 'larger headers get 431'),
  maxParameters: integer(200, [1, 100_000], 'more parameters in a query string or form get 400'),
  maxParameterDepth: integer(5, [0, 100], 'more nested brackets in a parameter name get 400'),
  maxListItems: integer(100, [1, 100_000], 'longer lists of parameter values get 400'),
  maxJsonDepth: integer(64, [1, 1000], 'more deeply nested JSON gets 400'),
  headersSeconds: integer(10, [1, hour], 'time to receive the headers; then 408', {
    publicDefault: '5',
  }),
  bodyIdleSeconds: integer(30, [1, hour], 'time between two parts of a body; then 408', {
    publicDefault: '10',
  }),
  requestSeconds: integer(300, [1, day], 'time to receive the whole request; then 408', {
    publicDefault: '60',
  }),
  drainSeconds: integer(
    0,
    [0, hour],
    'time after SIGTERM in which requests are still accepted while `/health/ready` responds with 503',
  ),
  sendIdleSeconds: integer(
    60,
    [1, hour],
    'a connection is closed if the client receives nothing of a response for this time',
    { publicDefault: '30' },
  ),
  maxConnections: integer(10_000, [1, 1_000_000], 'more connections are closed', {
    publicDefault: '1000',
  }),
  maxConnectionsPerClient: limit(
    [1, 1_000_000],
    'more connections of one client are closed, except from `TRUSTED_PROXIES`',
    '100',
  ),
  rateLimit: limit([1, 1_000_000], 'more requests of one client per minute get 429', '300'),
  loginRateLimit: limit(
    [1, 1_000_000],
    'more login attempts of one client per minute get 429',
    '10',
  ),
  maxRecords: limit([1, 1_000_000_000], 'more records of one kind get 507', '1000'),
  maxDatabaseBytes: limit(
    [mebibyte, 1024 ** 5],
    'writes that would make the SQLite file larger get 507',
    String(256 * mebibyte),
  ),
  maxFilesBytes: limit(
    [1, 1024 ** 5],
    'uploads that would make all files together larger get 507',
    String(256 * mebibyte),
  ),
  maxEventLoopDelayMs: limit(
    [10, 60_000],
    'requests get 503 while the event loop is delayed by more milliseconds',
    '250',
  ),
  methodOverride: setting(
    'on',
    parseOverride,
    'whether `_method` and `X-HTTP-Method-Override` are applied; with `unsafe-from-post`, an override from a safe to an unsafe method gets 403',
    // Link previews of chat services request URLs and are not browsers.
    { publicDefault: 'unsafe-from-post' },
  ),
  requireIfMatch: setting(
    'off',
    parseSwitch,
    'whether PUT, PATCH and DELETE of a record require `If-Match` (428)',
  ),
  bodyReaders: setting(
    bodyReaderNames.join(','),
    parseBodyReaders,
    'kinds of request body to parse; `none` disables all',
  ),
  corsOrigins: setting(
    undefined,
    parseOrigins,
    'comma-separated origins that may send cross-site writes and requests with credentials; `none` allows none. Default with a loopback `HOST`: `http://localhost:*,http://127.0.0.1:*`',
    { localDefault: 'http://localhost:*,http://127.0.0.1:*' },
  ),
  logLevel: setting(
    'info',
    parseChoice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    'minimum level of log lines; `info` logs one line per request',
  ),
}

export type SettingName = keyof typeof settings

export const settingNames = Object.keys(settings).filter(isSettingName)

function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settings, name)
}

/** `maxBodyBytes` → `MAX_BODY_BYTES` */
export function toEnvironmentName(name: SettingName): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
}

/** `maxBodyBytes` → `max-body-bytes` */
export function toFlagName(name: SettingName): string {
  return toEnvironmentName(name).toLowerCase().replaceAll('_', '-')
}
