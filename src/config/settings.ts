import { localHosts } from '../http/security/allowed-hosts.ts'
import * as parse from './parse-settings.ts'

interface Details {
  doc: string
  /** Replaces the default if HOST is a loopback address and TRUSTED_PROXIES is not set. */
  localDefault?: string
  isSecret?: boolean
}

function setting<Value>(fallback: string, parse: (text: string) => Value, details: Details) {
  return { default: fallback, parse, ...details }
}

function integer(fallback: number, range: parse.Range, details: Details) {
  return setting(String(fallback), parse.integer(range), details)
}

function limit(range: parse.Range, details: Details) {
  return setting('off', parse.limit(range), details)
}

const isSecret = true
const port = [0, 65_535] as const
const optionalPort = parse.optional(parse.integer(port))
const mebibyte = 1024 ** 2
const hour = 3600
const day = 24 * hour

/** `maxBodyBytes` is `MAX_BODY_BYTES` in the environment and `--max-body-bytes` as a flag. */
export const settings = {
  preset: setting('none', parse.choice(['none', 'public']), {
    doc: 'set of defaults: `none`, or `public` with limits for a public instance',
  }),
  host: setting('127.0.0.1', String, { doc: 'address to listen on' }),
  port: integer(3000, port, { doc: 'port to listen on; `0` selects a free port' }),
  databaseUrl: setting('sqlite:data/vitrine.db', parse.databaseUrl, {
    doc: 'database of the records: `sqlite:path`, `sqlite::memory:` or `postgres://…`',
    isSecret,
  }),
  durability: setting('process', parse.choice(['process', 'full']), {
    doc: '`process`: acknowledged writes survive a crash of the process. `full`: they also survive a power failure',
  }),
  redisUrl: setting('', parse.optional(parse.redisUrl), {
    doc: 'Redis for sessions and for rate limits that all processes share: `redis://host:6379`, or `rediss:` for TLS',
    isSecret,
  }),
  filesUrl: setting('file:data/files', parse.filesUrl, {
    doc: 'storage of uploaded files: `file:path` or `s3://bucket/prefix?endpoint=https://host&region=name`',
    isSecret,
  }),
  awsAccessKeyId: setting('', String, { doc: 'access key for `s3:`', isSecret }),
  awsSecretAccessKey: setting('', String, { doc: 'secret access key for `s3:`', isSecret }),
  adminHost: setting('127.0.0.1', String, { doc: 'address to listen on for `ADMIN_PORT`' }),
  adminPort: setting('', optionalPort, {
    doc: 'port of the health checks and metrics; `0` selects a free port',
  }),
  trustedProxies: setting('', parse.networks, {
    doc: 'comma-separated addresses and CIDRs of proxies whose `X-Forwarded-For`, `-Proto` and `-Host` are trusted',
  }),
  allowedHosts: setting('*', parse.hosts, {
    doc: 'comma-separated values of `Host` to accept; others get 421: `vitrine.example`, `*.vitrine.example`, `ip` for any IP address, `*` for all',
    localDefault: localHosts.join(','),
  }),
  demos: setting('all', parse.names, { doc: 'comma-separated demos to serve' }),
  publicDir: setting('public', parse.folder, { doc: 'folder of static files' }),
  workers: setting('1', parse.workers, {
    doc: 'processes that share the port, the database and the files; `auto` starts one per core',
  }),
  maxBodyBytes: integer(mebibyte, [1, 1024 ** 3], {
    doc: 'maximum size of a request body in bytes (413)',
  }),
  maxUploadBytes: integer(10 * mebibyte, [1, 1024 ** 4], {
    doc: 'maximum size of an uploaded file in bytes (413)',
  }),
  sessionIdleSeconds: integer(1800, [1, 400 * day], {
    doc: 'time after which a session ends if `/session` is not requested',
  }),
  sessionMaxSeconds: integer(12 * hour, [1, 400 * day], { doc: 'maximum lifetime of a session' }),
  tlsCert: setting('', parse.file, {
    doc: 'file of the certificate in PEM; with `TLS_KEY` it enables HTTPS and HTTP/2',
    isSecret,
  }),
  tlsKey: setting('', parse.file, { doc: 'file of the private key in PEM', isSecret }),
  redirectHttpPort: setting('', optionalPort, { doc: 'port on which HTTP is redirected to HTTPS' }),
  maxUrlBytes: integer(8192, [64, 65_536], { doc: 'maximum length of a URL in bytes (414)' }),
  maxHeaderBytes: integer(16_384, [1024, mebibyte], {
    doc: 'maximum size of the request headers in bytes (431)',
  }),
  maxParameters: integer(200, [1, 100_000], {
    doc: 'maximum number of parameters in a query string or form (400)',
  }),
  maxParameterDepth: integer(5, [0, 100], {
    doc: 'maximum number of brackets in a parameter name (400)',
  }),
  maxListItems: integer(100, [1, 100_000], {
    doc: 'maximum number of values of a parameter (400)',
  }),
  maxJsonDepth: integer(64, [1, 1000], { doc: 'maximum depth of JSON (400)' }),
  headersSeconds: integer(10, [1, hour], { doc: 'maximum time to receive the headers (408)' }),
  bodyIdleSeconds: integer(30, [1, hour], {
    doc: 'maximum time between two parts of a body (408)',
  }),
  requestSeconds: integer(300, [1, day], {
    doc: 'maximum time to receive the whole request (408)',
  }),
  drainSeconds: integer(0, [0, hour], {
    doc: 'time after SIGTERM in which requests are still accepted while `/health/ready` responds with 503',
  }),
  sendIdleSeconds: integer(60, [1, hour], {
    doc: 'maximum time in which a client reads no part of a response; then the connection is closed',
  }),
  maxConnections: integer(10_000, [1, 1_000_000], { doc: 'maximum number of connections' }),
  maxConnectionsPerClient: limit([1, 1_000_000], {
    doc: 'maximum number of connections of one client, except of `TRUSTED_PROXIES`',
  }),
  rateLimit: limit([1, 1_000_000], {
    doc: 'maximum number of requests per minute and client (429)',
  }),
  loginRateLimit: limit([1, 1_000_000], {
    doc: 'maximum number of logins per minute and client (429)',
  }),
  maxRecords: limit([1, 1_000_000_000], { doc: 'maximum number of records of one kind (507)' }),
  maxDatabaseBytes: limit([mebibyte, 1024 ** 5], {
    doc: 'maximum size of the SQLite file in bytes (507)',
  }),
  maxFilesBytes: limit([1, 1024 ** 5], { doc: 'maximum total size of all uploads in bytes (507)' }),
  maxEventLoopDelayMs: limit([10, 60_000], {
    doc: 'maximum event loop delay; while it is longer, requests get 503 (load shedding)',
  }),
  methodOverride: setting('on', parse.override, {
    doc: 'whether `_method` and `X-HTTP-Method-Override` are applied: `on`, `off`, or `unsafe-from-post`: only POST can be overridden to an unsafe method, other requests get 403',
  }),
  compression: setting('on', parse.onOrOff, {
    doc: 'whether text of more than 1 KiB is sent as `zstd`, `br` or `gzip` to clients that accept it',
  }),
  requireIfMatch: setting('off', parse.onOrOff, {
    doc: 'whether PUT, PATCH and DELETE of a record require `If-Match` (428)',
  }),
  bodyReaders: setting(parse.bodyReaderNames.join(), parse.bodyReaders, {
    doc: 'kinds of request body to parse; `none` disables all. A body of another kind is ignored, as if it were empty',
  }),
  corsOrigins: setting('', parse.origins, {
    doc: 'comma-separated origins that may send cross-site writes and requests with credentials; `none` allows none',
    localDefault: 'http://localhost:*,http://127.0.0.1:*',
  }),
  logLevel: setting(
    'info',
    parse.choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    { doc: 'minimum level of log lines; `info` logs one line per request' },
  ),
}

export type SettingName = keyof typeof settings

export const publicDefaults: Partial<Record<SettingName, string>> = {
  maxBodyBytes: String(65_536),
  maxUploadBytes: String(mebibyte),
  headersSeconds: '5',
  bodyIdleSeconds: '10',
  requestSeconds: '60',
  sendIdleSeconds: '30',
  maxConnections: '1000',
  maxConnectionsPerClient: '100',
  rateLimit: '300',
  loginRateLimit: '10',
  maxRecords: '1000',
  maxDatabaseBytes: String(256 * mebibyte),
  maxFilesBytes: String(256 * mebibyte),
  maxEventLoopDelayMs: '250',
  // Link previews of chat services request URLs and are not browsers.
  methodOverride: 'unsafe-from-post',
}

function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settings, name)
}

export const settingNames = Object.keys(settings).filter(isSettingName)

/** As help and documentation show it. */
export function describeDefault(name: SettingName): string {
  const { default: fallback, localDefault } = settings[name]
  const usual = fallback === '' ? 'unset' : `\`${fallback}\``
  return localDefault === undefined
    ? usual
    : `\`${localDefault}\` if \`HOST\` is a loopback address, otherwise ${usual}`
}

export function toEnvironmentName(name: SettingName): string {
  return name.replace(/[A-Z]/g, '_$&').toUpperCase()
}

export function toFlagName(name: SettingName): string {
  return name.replace(/[A-Z]/g, '-$&').toLowerCase()
}
