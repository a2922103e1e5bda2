import { isNameOf } from './is-name-of.ts'
import { localHosts } from './hosts.ts'
import { mebibyte } from './limits.ts'
import { duration } from './parse-duration.ts'
import * as parse from './parse-settings.ts'
import { databaseUrl, filesUrl, redisUrl } from './parse-store-urls.ts'

interface Setting<Value> {
  default: string
  parse: parse.Parse<Value>
  doc: string
  /** Replaces the default if HOST is a loopback address and TRUSTED_PROXIES is not set. */
  localDefault?: string
  isSecret?: boolean
  /** The flag, if its name is not that of the setting. */
  flag?: string
  /** A flag without a value is `on`. */
  isSwitch?: boolean
}

function setting<Value>(fallback: string, parse: parse.Parse<Value>, doc: string): Setting<Value> {
  return { default: fallback, parse, doc }
}

function secret<Value>(fallback: string, parse: parse.Parse<Value>, doc: string): Setting<Value> {
  return { default: fallback, parse, doc, isSecret: true }
}

function integer(fallback: number, range: parse.Bounds, doc: string) {
  return setting(String(fallback), parse.wholeNumber(range), doc)
}

function flag<Value>(name: string, setting: Setting<Value>): Setting<Value> {
  return { ...setting, flag: name }
}

function offSwitch(doc: string): Setting<boolean> {
  return { ...setting('off', parse.onOrOff, doc), isSwitch: true }
}

function limit(range: parse.Bounds, doc: string) {
  return setting('off', parse.offOrWholeNumber(range), doc)
}

const port = [0, 65_535] as const
const optionalPort = parse.optional(parse.wholeNumber(port))
const hour = 3600
const day = 24 * hour
/** `vitrine forward` reads captured bodies up to this size. */
export const maxBinBodyBytes = 64 * mebibyte

/** `maxBodyBytes` is `MAX_BODY_BYTES` in the environment and `--max-body-bytes` as a flag. */
export const settings = {
  preset: setting(
    'none',
    parse.choice(['none', 'public']),
    'defaults; `public` sets limits, which `--preset public --help` lists',
  ),
  demos: setting(
    'all',
    parse.namesOrNone,
    'comma-separated demos to serve, `none`, or those to leave out, as `-uploads,-bins`',
  ),
  publicDir: flag('static', setting('public', parse.folder, 'folder of static files')),
  workers: setting(
    '1',
    parse.workers,
    'always `1`: docs/scaling.md says how to start several instances behind a proxy',
  ),
  operatorContact: setting(
    '',
    parse.contact,
    'mail address or URL of the operator, which every page shows with the terms of a public instance',
  ),
  drainSeconds: integer(0, [0, hour], 'time after SIGTERM in which requests are still accepted'),
  logLevel: setting('info', parse.logLevel, 'minimum level of log lines; `info`: one per request'),
  inspector: {
    ...setting(
      'own',
      parse.choice(['all', 'own', 'off']),
      'recorded exchanges that a visitor sees: `all`, `own`, `off`',
    ),
    localDefault: 'all',
  },
  inspectorMaxBytes: integer(
    32 * mebibyte,
    [4 * mebibyte, 1024 ** 4],
    'memory for recorded exchanges of each process, in bytes; there are at most one for each 32 KiB, and 10,000',
  ),
  dataFile: setting('', parse.dataSource, 'JSON or YAML file, or URL, with your own resources'),
  dataSchema: flag(
    'schema',
    setting('', parse.existingFile, 'file with a JSON Schema for each resource of the data file'),
  ),
  responsesFile: flag(
    'responses',
    setting('', parse.existingFile, 'JSON or YAML file with stubs: `{"GET /slow": {"delay": 2}}`'),
  ),
  dataId: flag('id', setting('id', String, 'field of the data file that has the id')),
  dataReload: flag('reload', offSwitch('whether the data file replaces the stored records')),
  dataFresh: flag(
    'fresh',
    offSwitch('whether each start loads the data file, and nothing is kept after it'),
  ),
  dataWatch: flag(
    'watch',
    offSwitch('whether each change of the data file is loaded; requires `fresh`'),
  ),
  jsonServer: setting(
    'off',
    parse.jsonServer,
    'version of json-server to replace: `0.17`, `1` or `off`',
  ),
  foreignKeySuffix: flag(
    'foreignKeySuffix',
    setting('Id', String, 'end of a field that refers to another resource, as `authorId`'),
  ),
  delayMs: flag(
    'delay',
    setting(
      '0',
      parse.range([0, 60_000]),
      'milliseconds before each response of a resource of the data file, or a range: `100-500`',
    ),
  ),
  errorRate: setting(
    '0',
    parse.fraction,
    'part of the requests to resources of the data file that get 503, from 0 to 1: `0.05`',
  ),
  testApi: offSwitch('whether clients can reset the records and request errors'),
  untilStdinEnds: offSwitch(
    'whether the service stops when its standard input ends, as with the process that started it',
  ),
  seedResource: flag('resource', setting('', String, 'resource that `vitrine seed` adds to')),
  seedNumber: flag(
    'seed',
    setting(
      '',
      parse.optional(parse.wholeNumber([0, 2 ** 32 - 1])),
      'with `resource`: the same number adds the same records',
    ),
  ),
  rewrites: flag(
    'routes',
    setting('', parse.rewrites, 'JSON file of URLs to rewrite: `{"/api/*": "/$1"}`'),
  ),
  host: setting('127.0.0.1', String, 'address to listen on'),
  port: integer(3000, port, 'port to listen on; `0` selects a free port'),
  allowedHosts: {
    ...setting(
      '*',
      parse.hosts,
      'comma-separated hosts to accept; others get 421; must be set if `HOST` is a loopback address and `TRUSTED_PROXIES` is set',
    ),
    localDefault: localHosts.join(','),
  },
  trustedProxies: setting('', parse.networks, 'proxies whose `X-Forwarded-*` headers are trusted'),
  tlsCert: secret('', parse.file, 'file of the certificate in PEM; enables HTTPS and HTTP/2'),
  tlsKey: secret('', parse.file, 'file of the private key in PEM'),
  redirectHttpPort: setting('', optionalPort, 'port on which HTTP is redirected to HTTPS'),
  adminHost: setting('127.0.0.1', String, 'address to listen on for `ADMIN_PORT`'),
  adminPort: setting(
    '',
    optionalPort,
    'port of health checks and metrics; `0`: a free port; needs `prom-client`',
  ),
  databaseUrl: secret(
    'sqlite:data/vitrine.db',
    databaseUrl,
    'database of the records; `postgres:` needs `pg`',
  ),
  durability: setting('process', parse.durability, '`full`: writes survive a power failure too'),
  redisUrl: secret(
    '',
    parse.optional(redisUrl),
    'Redis for sessions, shared rate limits and one list of all replicas in the inspector; needs `ioredis`',
  ),
  filesUrl: secret(
    'file:data/files',
    filesUrl,
    'storage of uploads: a folder, or `s3:`, which needs `aws4fetch`',
  ),
  awsAccessKeyId: secret('', String, 'access key for `s3:`'),
  awsSecretAccessKey: secret('', String, 'secret access key for `s3:`'),
  maxRecords: limit([1, 1_000_000_000], 'maximum number of records of one kind (507)'),
  maxDatabaseBytes: limit([mebibyte, 1024 ** 5], 'maximum size of the SQLite file in bytes (507)'),
  maxFilesBytes: limit([1, 1024 ** 5], 'maximum total size of all uploads in bytes (507)'),
  resetAt: setting(
    '',
    parse.timeOfDay,
    'time in UTC, such as `03:00`, at which all records, bins and uploads are reset each day',
  ),
  sandboxes: setting(
    'key',
    parse.choice(['off', 'key', 'visitor']),
    '`key`: a client that sends a key has data of its own; `visitor`: each browser too, and without a key each client address',
  ),
  sandboxSeconds: integer(
    day,
    [1, 400 * day],
    'time after the last use in which the data of a sandbox is kept',
  ),
  maxSandboxes: limit([1, 1_000_000_000], 'maximum number of sandboxes (507)'),
  maxSandboxesPerClient: limit(
    [1, 1_000_000_000],
    'maximum number of sandboxes that one client has begun (507)',
  ),
  maxRecordsOfSandboxes: limit(
    [1, 1_000_000_000],
    'maximum number of records of all sandboxes together (507)',
  ),
  sandboxRecords: integer(
    1000,
    [0, 100_000],
    'records of each resource that a sandbox begins with, of the data file or the samples',
  ),
  methodOverride: setting('on', parse.override, '`_method`: `on`, `off` or `unsafe-from-post`'),
  compression: setting('on', parse.onOrOff, 'whether text is sent as `zstd`, `br` or `gzip`'),
  readOnly: offSwitch('whether requests that store something get 403'),
  requireIfMatch: setting('off', parse.onOrOff, 'whether writes require `If-Match` (428)'),
  bodyReaders: setting(parse.bodyReaderNames.join(), parse.bodyReaders, 'bodies to parse'),
  corsOrigins: {
    ...setting('', parse.origins, 'origins that may send cross-site writes and credentials'),
    localDefault: 'http://localhost:*, http://127.0.0.1:*, http://[::1]:*, https://localhost:*',
  },
  allowedRedirectDomains: setting(
    '*',
    parse.redirectDomains,
    'comma-separated hosts to which visitors may create redirects; `none`: only this one',
  ),
  sessionIdleSeconds: integer(1800, [1, 400 * day], 'time after which an unused session ends'),
  sessionMaxSeconds: integer(12 * hour, [1, 400 * day], 'maximum lifetime of a session'),
  maxBodyBytes: integer(mebibyte, [1, 1024 ** 3], 'maximum size of a request body in bytes (413)'),
  maxUploadBytes: integer(10 * mebibyte, [1, 1024 ** 4], 'maximum size of a file in bytes (413)'),
  maxUrlBytes: integer(8192, [64, 65_536], 'maximum length of a URL in bytes (414)'),
  maxHeaderBytes: integer(16_384, [1024, mebibyte], 'maximum size of the headers in bytes (431)'),
  maxParameters: integer(200, [1, 1e5], 'maximum number of parameters in a query or form (400)'),
  maxJsonDepth: integer(64, [1, 1000], 'maximum depth of JSON (400)'),
  headersSeconds: integer(10, [1, hour], 'maximum time to receive the headers (408)'),
  bodyIdleSeconds: integer(30, [1, hour], 'maximum time between two parts of a body (408)'),
  requestSeconds: integer(300, [1, day], 'maximum time to receive the whole request (408)'),
  sendIdleSeconds: integer(60, [1, hour], 'maximum time in which a client reads no response bytes'),
  maxDurationSeconds: setting(
    '10',
    duration,
    'maximum time that a request can ask for: a delay (also _delay of json-server, Prefer: vitrine-delay and vitrine-lose-response=stall), a slow response, a stream or a WebSocket of httpbin',
  ),
  responseFaults: setting('on', parse.onOrOff, 'whether a request can ask for a fault (403)'),
  maxConnections: integer(10_000, [1, 1_000_000], 'maximum number of connections'),
  maxConnectionsPerClient: limit(
    [1, 1_000_000],
    'maximum number of connections of one client, and of its requests in progress (429)',
  ),
  rateLimit: limit([1, 1_000_000], 'maximum number of requests per minute and client (429)'),
  loginRateLimit: limit([1, 1_000_000], 'maximum number of logins per minute and client (429)'),
  maxEventLoopDelayMs: limit([10, 60_000], 'event loop delay above which requests get 503'),
  maxBins: integer(1000, [1, 100_000], 'maximum number of request bins (507)'),
  binMaxRequests: integer(500, [1, 10_000], 'requests that a bin keeps; the oldest are removed'),
  binMaxBodyBytes: integer(
    mebibyte,
    [0, maxBinBodyBytes],
    'maximum size of a body for a bin (413)',
  ),
  binDays: integer(7, [1, 400], 'days after which a bin is removed (410)'),
  binSecret: flag('secret', secret('', String, 'secret of the bin for `vitrine forward`')),
  binAfter: flag('after', setting('', String, '`vitrine forward` sends what came after this id')),
  binOnly: flag(
    'only',
    setting('', String, '`vitrine forward` sends the request with this id only'),
  ),
}

export type SettingName = keyof typeof settings

export const groupTitles: Partial<Record<SettingName, string>> = {
  preset: 'Service',
  dataFile: 'Data file',
  host: 'Network and HTTPS',
  databaseUrl: 'Storage',
  sandboxes: 'Sandboxes',
  methodOverride: 'HTTP and sessions',
  maxBodyBytes: 'Size of a request',
  headersSeconds: 'Duration of a request',
  maxConnections: 'Load and clients',
  maxBins: 'Request bins',
}

export const publicDefaults: Partial<Record<SettingName, string>> = {
  maxBodyBytes: String(65_536),
  maxUploadBytes: String(mebibyte),
  headersSeconds: '5',
  bodyIdleSeconds: '10',
  requestSeconds: '60',
  sendIdleSeconds: '30',
  maxDurationSeconds: '5',
  maxConnections: '1000',
  maxConnectionsPerClient: '100',
  rateLimit: '300',
  loginRateLimit: '10',
  maxRecords: '1000',
  maxDatabaseBytes: String(256 * mebibyte),
  maxFilesBytes: String(256 * mebibyte),
  maxEventLoopDelayMs: '250',
  allowedRedirectDomains: 'none',
  inspector: 'own',
  sandboxes: 'visitor',
  maxSandboxes: '1000',
  maxSandboxesPerClient: '100',
  maxRecordsOfSandboxes: '100000',
  sandboxRecords: '100',
  maxBins: '500',
  binMaxRequests: '100',
  binMaxBodyBytes: String(65_536),
  binDays: '1',
  responseFaults: 'off',
  // Link previews of chat services request URLs and are not browsers.
  methodOverride: 'unsafe-from-post',
}

export const settingNames = Object.keys(settings).filter((name) => isNameOf(settings, name))

export function describeDefault(name: SettingName, preset?: string): string {
  const { default: fallback, localDefault } = settings[name]
  const ofPreset = preset === 'public' && publicDefaults[name]
  if (ofPreset) return `\`${ofPreset}\``
  const usual = fallback === '' ? 'unset' : `\`${fallback}\``
  return localDefault === undefined
    ? usual
    : `\`${localDefault}\` if \`HOST\` is a loopback address and \`TRUSTED_PROXIES\` is unset, otherwise ${usual}`
}

export function toEnvironmentName(name: SettingName): string {
  return name.replace(/[A-Z]/g, '_$&').toUpperCase()
}

export function toFlagName(name: SettingName): string {
  return settings[name].flag ?? name.replace(/[A-Z]/g, '-$&').toLowerCase()
}
