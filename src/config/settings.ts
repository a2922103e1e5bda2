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
  /** Whether its value may hold a secret, and so is never printed. */
  isSecret?: boolean
}

function setting<Value>(
  fallback: string | undefined,
  parse: (text: string) => Value,
  description: string,
): Setting<Value> {
  return { default: fallback, parse, description }
}

function secret<Value>(...args: Parameters<typeof setting<Value>>): Setting<Value> {
  return { ...setting(...args), isSecret: true }
}

export const settings = {
  preset: setting(
    'none',
    parseChoice(['none', 'public'] as const),
    'other defaults for what is not set: `public` is for strangers',
  ),
  host: setting('127.0.0.1', parseText, 'address to listen on'),
  port: setting('3000', parseInteger(0, 65_535), 'port; `0` picks a free one'),
  databaseUrl: secret(
    'sqlite:data/vitrine.db',
    parseDatabaseUrl,
    'where records are kept: `sqlite:path`, `sqlite::memory:` or `postgres://…`',
  ),
  durability: setting(
    'process',
    parseChoice(['process', 'full'] as const),
    'what an answered write of a record survives: the end of the `process`, or `full`: that of the machine',
  ),
  redisUrl: secret(
    undefined,
    parseOptional(parseRedisUrl),
    'where sessions are kept, if not with the records, and requests are counted for all processes: `redis://host:6379`, `rediss:` for TLS',
  ),
  filesUrl: secret(
    'file:data/files',
    parseFilesUrl,
    'where uploaded files are kept: `file:path` or `s3://bucket/prefix?endpoint=https://host&region=name`',
  ),
  awsAccessKeyId: secret(undefined, parseText, 'the key with which `s3:` is asked'),
  awsSecretAccessKey: secret(undefined, parseText, 'the secret of that key'),
  adminHost: setting('127.0.0.1', parseText, 'address on which `ADMIN_PORT` is opened'),
  adminPort: setting(
    undefined,
    parseOptional(parseInteger(0, 65_535)),
    'port of the probes and of the metrics; `0` picks a free one',
  ),
  trustedProxies: setting(
    undefined,
    parseNetworks,
    'comma-separated addresses and CIDRs whose `X-Forwarded-For`, `-Proto` and `-Host` are believed',
  ),
  allowedHosts: setting(
    '*',
    parseHosts,
    'comma-separated hosts that `Host` may name, or 421: `vitrine.example`, `*.vitrine.example`, `ip` for every address, `*` for all; where `HOST` is a loopback address the default is `localhost,*.localhost,ip`',
  ),
  demos: setting('all', parseNames, 'comma-separated demos to mount'),
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
  tlsCert: secret(undefined, parseFile, 'certificate in PEM: with `TLS_KEY`, HTTPS and HTTP/2'),
  tlsKey: secret(undefined, parseFile, 'private key in PEM'),
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
  drainSeconds: setting(
    '0',
    parseInteger(0, 3600),
    'after a SIGTERM requests are taken for so long, while `/health/ready` gets 503',
  ),
  sendIdleSeconds: setting(
    '60',
    parseInteger(1, 3600),
    'a connection whose client takes nothing of a response for so long is closed',
  ),
  maxConnections: setting('10000', parseInteger(1, 1_000_000), 'connections over it are dropped'),
  maxConnectionsPerClient: setting(
    'off',
    parseLimit(1, 1_000_000),
    'connections of one client at a time; more are dropped, except from `TRUSTED_PROXIES`',
  ),
  rateLimit: setting(
    'off',
    parseLimit(1, 1_000_000),
    'requests of one client in a minute; more get 429',
  ),
  loginRateLimit: setting(
    'off',
    parseLimit(1, 1_000_000),
    'logins that one client may try in a minute; more get 429',
  ),
  maxRecords: setting(
    'off',
    parseLimit(1, 1_000_000_000),
    'records of each kind; one more gets 507',
  ),
  maxDatabaseBytes: setting(
    'off',
    parseLimit(1024 ** 2, 1024 ** 5),
    'size of the SQLite file; a write that would make it larger gets 507',
  ),
  maxFilesBytes: setting(
    'off',
    parseLimit(1, 1024 ** 5),
    'size of all uploaded files together; one that would go over it gets 507',
  ),
  maxEventLoopDelayMs: setting(
    'off',
    parseLimit(10, 60_000),
    'milliseconds by which the process may lag; while it is later, requests get 503',
  ),
  methodOverride: setting(
    'on',
    parseOverride,
    'whether `_method` and `X-HTTP-Method-Override` are read; `unsafe-from-post`: a safe method does not become an unsafe one (403)',
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
    'comma-separated origins that may write from another site, and read with credentials; where `HOST` is a loopback address the default is `http://localhost:*,http://127.0.0.1:*`, and `none` allows none',
  ),
  logLevel: setting(
    'info',
    parseChoice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    'how much is logged; `info` has a line per request',
  ),
}

export type SettingName = keyof typeof settings

export const settingNames = Object.keys(settings) as SettingName[]

/** `maxBodyBytes` → `MAX_BODY_BYTES` */
export function toEnvironmentName(name: SettingName): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
}

/** `maxBodyBytes` → `max-body-bytes` */
export function toFlagName(name: SettingName): string {
  return toEnvironmentName(name).toLowerCase().replaceAll('_', '-')
}
