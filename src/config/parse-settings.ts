import { existsSync, readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isObject } from './is-object.ts'
import { findJson } from './find-json.ts'
import { toHostname } from './hosts.ts'
import { packageFolder } from './package-folder.ts'

// Each parser throws an Error whose message completes "MAX_BODY_BYTES must be …".
export type Parse<Value> = (text: string) => Value

export type Bounds = readonly [minimum: number, maximum: number]

export const bodyReaderNames = ['json', 'form', 'text', 'multipart'] as const

function toParser(expected: string, isValid: (given: string) => unknown): Parse<string> {
  return (given) => {
    if (isValid(given)) return given
    throw new Error(expected)
  }
}

export function wholeNumber([minimum, maximum]: Bounds, alternative = ''): Parse<number> {
  const expected = `${alternative}a whole number from ${String(minimum)} to ${String(maximum)}`
  const parse = toParser(expected, (given) => {
    return /^\d+$/.test(given) && +given >= minimum && +given <= maximum
  })
  return (given) => Number(parse(given))
}

const unitSeconds: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  μs: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3600,
}
const units = Object.keys(unitSeconds).join('|')

/** Returns the seconds of a duration as Go writes it: `1m30s`. */
export function parseGoDuration(text: string): number | undefined {
  if (!new RegExp(`^[+-]?((\\d+(\\.\\d*)?|\\.\\d+)(${units}))+$`).test(text)) return undefined
  const parts = text.matchAll(new RegExp(`([\\d.]+)(${units})`, 'g'))
  const sum = parts.reduce(
    (total, [, digits, unit = '']) => total + Number(digits) * (unitSeconds[unit] ?? 0),
    0,
  )
  return text.startsWith('-') ? -sum : sum
}

export function duration(given: string): number {
  const seconds = parseGoDuration(given) ?? (/^[\d.]+$/.test(given) ? Number(given) : NaN)
  if (seconds > 0 && seconds <= 3600) return seconds
  throw new Error('a number of seconds up to 3600, or a duration such as 1m30s')
}

export function offOrWholeNumber(range: Bounds): Parse<number | undefined> {
  const parse = wholeNumber(range, 'off or ')
  return (given) => (given === 'off' ? undefined : parse(given))
}

export const workers = toParser(
  '1 (docs/scaling.md says how to start several instances)',
  (given) => given === '1',
)

export function choice<const Choice extends string>(
  choices: readonly Choice[],
  expected = 'one of',
): Parse<Choice> {
  return (given) => {
    const chosen = choices.find((candidate) => candidate === given)
    if (chosen !== undefined) return chosen
    throw new Error(`${expected} ${choices.join(', ')}`)
  }
}

export const durability = choice(['process', 'full'])

export const logLevel = choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])

export function jsonServer(given: string): '0.17' | '1' | undefined {
  const version = choice(['off', '0.17', '1'])(given)
  return version === 'off' ? undefined : version
}

export function onOrOff(given: string): boolean {
  return choice(['on', 'off'])(given) === 'on'
}

export function override(given: string): false | 'on' | 'unsafe-from-post' {
  const chosen = choice(['on', 'off', 'unsafe-from-post'])(given)
  return chosen !== 'off' && chosen
}

export function optional<Value>(parse: Parse<Value>): Parse<Value | undefined> {
  return (given) => (given === '' ? undefined : parse(given))
}

export function folder(given: string): string {
  const own = fileURLToPath(new URL('public', packageFolder))
  const path = given === 'public' && !existsSync(given) ? own : resolve(given)
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path
  throw new Error('an existing folder')
}

export function file(path: string): string | undefined {
  try {
    return path === '' ? undefined : readFileSync(path, 'utf8')
  } catch {
    throw new Error('a readable file')
  }
}

/** The file of json-server's `--routes`: patterns of URLs, and what they are rewritten to. */
export function rewrites(path: string): Readonly<Record<string, unknown>> {
  const rules = findJson(file(path) ?? '{}')
  if (isObject(rules)) return rules
  throw new Error(
    'a JSON file of rewrites such as {"/api/*": "/$1", "/:kind/:id/show": "/:kind/:id"}',
  )
}

// With a slash in the password, its rest would be taken for a host name and printed in an error.
export const databaseUrl = toParser(
  'sqlite:path/to/file.db, sqlite::memory: or postgres://user@host/name, with a percent-encoded password',
  (given) => /^(sqlite:.|postgres(ql)?:\/\/[^/?#]*([/?#][^@]*)?$)/.test(given),
)

export const redisUrl = toParser(
  'redis://host:port, or rediss://host:port for TLS, with a percent-encoded password',
  (given) =>
    /^(redis|valkey)s?:\/\/[^/?#]*([/?#][^@]*)?$/.test(given) && URL.parse(given)?.hostname,
)

export const filesUrl = toParser(
  'file:path/to/folder or s3://bucket/prefix?endpoint=https://host&region=name, where the bucket has at least 3 characters from a-z, 0-9, . and -',
  (given) => /^file:./.test(given) || isS3Url(given),
)

/** These characters need no encoding in a URL or in XML. */
function isS3Url(given: string): boolean {
  const { searchParams } = URL.parse(given) ?? {}
  const endpoint = URL.parse(searchParams?.get('endpoint') ?? 'https://host')
  return (
    /^s3:\/\/[a-z0-9][a-z0-9.-]{2,}(\/[\w.-]+)*\/?(\?[^?#]*)?$/.test(given) &&
    /^https?:$/.test(endpoint?.protocol ?? '') &&
    /^[\w-]*$/.test(searchParams?.get('region') ?? '')
  )
}

export function names(given: string): readonly string[] {
  const parts = given.trim().split(/\s*,\s*/)
  return parts.filter(Boolean)
}

export function namesOrNone(given: string): readonly string[] {
  return given === 'none' ? [] : names(given)
}

export function isUrl(source: string): boolean {
  return /^https?:\/\//i.test(source) && URL.canParse(source)
}

const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile()

export const dataSource = optional(
  toParser(
    'an existing JSON or YAML file, or an http: or https: URL of one',
    (given) => isUrl(given) || isFile(given),
  ),
)

export const existingFile = optional(toParser('an existing file', isFile))

function toListParser<Item>(parse: Parse<Item>): Parse<readonly Item[]> {
  return (given) => namesOrNone(given).map(parse)
}

export const bodyReaders = toListParser(
  choice(bodyReaderNames, 'none, or a comma-separated list of'),
)

export const origins = toListParser(
  toParser(
    'none, or a comma-separated list of origins such as https://example.org or http://localhost:*',
    (given) => {
      const sample = given.replace(/:\*$/, '')
      return URL.parse(sample)?.origin === sample
    },
  ),
)

export function hosts(given: string): readonly string[] {
  return names(given).map((host) => {
    const [, wildcard = '', name = ''] =
      /^(\*\.)?([^\s/?#@\\:*[\]]+|\[[\da-f:.]+\])$/i.exec(host) ?? []
    const hostname = host === '*' ? host : toHostname(name)
    if (hostname && hostname !== 'none') return wildcard + hostname
    throw new Error(
      'a comma-separated list of hosts without ports such as vitrine.example or *.example, ip, or *',
    )
  })
}

export function redirectDomains(given: string): readonly string[] {
  return given === 'none' ? [] : hosts(given)
}

export const networks = toListParser(
  toParser('a comma-separated list of addresses and CIDRs such as 10.0.0.0/8, not /0', (given) => {
    const [, address = '', prefix = 1] = /^([^/]+)(?:\/(\d+))?$/.exec(given) ?? []
    const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0
    // A prefix of length 0 would let every client set its own address.
    return +prefix >= 1 && +prefix <= bits
  }),
)
