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

export function toParser(expected: string, isValid: (given: string) => unknown): Parse<string> {
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

/** `100` or `100-500`; undefined for zero. */
export function range(bounds: Bounds): Parse<{ least: number; most: number } | undefined> {
  const parse = wholeNumber(bounds, 'two such numbers as 100-500, or ')
  return (given) => {
    const [least = 0, most = least, ...others] = given.split('-').map(parse)
    if (others.length > 0 || least > most) return { least: parse(''), most }
    return most === 0 ? undefined : { least, most }
  }
}

export const fraction: Parse<number> = (given) =>
  Number(toParser('a number from 0 to 1', (text) => /^(0|1|0?\.\d{1,6})$/.test(text))(given))

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

export const onOrOff = (given: string): boolean => choice(['on', 'off'])(given) === 'on'

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

export const timeOfDay = optional(
  toParser('a time of the day in UTC such as 03:00', (given) =>
    /^([01]\d|2[0-3]):[0-5]\d$/.test(given),
  ),
)

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

export const contact = optional(
  toParser(
    'a mail address such as ann@vitrine.example, or an http: or https: URL',
    (given) => isUrl(given) || /^[^\s@/:?&#<>"]+@[^\s@/:?&#<>"]+$/.test(given),
  ),
)

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
