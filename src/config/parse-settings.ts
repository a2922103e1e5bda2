import { existsSync, readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { toHostname } from '../http/security/allowed-hosts.ts'

// Each parser throws an Error whose message completes "MAX_BODY_BYTES must be …".

export const bodyReaderNames = ['json', 'form', 'text', 'multipart'] as const
export type BodyReaderName = (typeof bodyReaderNames)[number]

export function parseText(text: string): string {
  return text
}

/** The default falls back to the folder that Vitrine includes. */
export function parseFolder(text: string): string {
  const own = fileURLToPath(new URL('../../public', import.meta.url))
  const folder = text === 'public' && !existsSync(text) ? own : resolve(text)
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder
  throw new Error('an existing folder')
}

type Range = readonly [minimum: number, maximum: number]

export function parseInteger(
  [minimum, maximum]: Range,
  alternative = '',
): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : NaN
    if (value >= minimum && value <= maximum) return value
    throw new Error(`${alternative}a whole number from ${String(minimum)} to ${String(maximum)}`)
  }
}

/** Undefined is no limit. */
export function parseLimit(range: Range): (text: string) => number | undefined {
  const parse = parseInteger(range, 'off or ')
  return (text) => (text === 'off' ? undefined : parse(text))
}

export function parseWorkers(text: string): number {
  return text === 'auto' ? availableParallelism() : parseInteger([1, 256], 'auto or ')(text)
}

export function parseChoice<Choice extends string>(
  choices: readonly Choice[],
): (text: string) => Choice {
  return (text) => {
    const choice = choices.find((candidate) => candidate === text)
    if (choice !== undefined) return choice
    throw new Error(`one of ${choices.join(', ')}`)
  }
}

export function parseOptional<Value>(
  parse: (text: string) => Value,
): (text: string) => Value | undefined {
  return (text) => (text === '' ? undefined : parse(text))
}

/** The content of the file; undefined without a path. */
export function parseFile(path: string): string | undefined {
  try {
    return path === '' ? undefined : readFileSync(path, 'utf8')
  } catch {
    throw new Error('a readable file')
  }
}

export function parseFilesUrl(text: string): string {
  if (/^file:./.test(text) || isS3Url(text)) return text
  throw new Error('file:path/to/folder or s3://bucket/prefix?endpoint=https://host&region=name')
}

/** Only characters that need no encoding in a URL or in XML. */
function isS3Url(text: string): boolean {
  const { searchParams } = URL.parse(text) ?? {}
  const endpoint = URL.parse(searchParams?.get('endpoint') ?? 'https://host')
  return (
    /^s3:\/\/[a-z0-9][a-z0-9.-]+(\/[\w.-]+)*\/?(\?[^?#]*)?$/.test(text) &&
    /^https?:$/.test(endpoint?.protocol ?? '') &&
    /^[\w-]*$/.test(searchParams?.get('region') ?? '')
  )
}

export function parseSwitch(text: string): boolean {
  return parseChoice(['on', 'off'])(text) === 'on'
}

/** False is off. */
export function parseOverride(text: string): false | 'on' | 'unsafe-from-post' {
  const choice = parseChoice(['on', 'off', 'unsafe-from-post'] as const)(text)
  return choice !== 'off' && choice
}

export function parseNames(text: string): readonly string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

export function parseBodyReaders(text: string): readonly BodyReaderName[] {
  if (text === 'none') return []
  try {
    return parseNames(text).map(parseChoice(bodyReaderNames))
  } catch {
    throw new Error(`none, or a comma-separated list of ${bodyReaderNames.join(', ')}`)
  }
}

export function parseDatabaseUrl(text: string): string {
  // An @ after the host means that the password contains a slash: the rest of the password would be
  // taken for a host name and printed in an error.
  if (/^(sqlite:.|postgres(ql)?:\/\/[^/?#]*([/?#][^@]*)?$)/.test(text)) return text
  throw new Error(
    'sqlite:path/to/file.db, sqlite::memory: or postgres://user@host/name, with a percent-encoded password',
  )
}

export function parseRedisUrl(text: string): string {
  const isRedis = /^(redis|valkey)s?:\/\/[^/?#]*([/?#][^@]*)?$/.test(text)
  if (isRedis && URL.parse(text)?.hostname) return text
  throw new Error(
    'redis://host:port, or rediss://host:port for TLS, with a percent-encoded password',
  )
}

/** The port `*` stands for any port. */
export function parseOrigins(text: string): readonly string[] {
  if (text === 'none') return []
  return parseNames(text).map((origin) => {
    const sample = origin.replace(/:\*$/, '')
    if (URL.parse(sample)?.origin === sample) return origin
    throw new Error(
      'none, or a comma-separated list of origins such as https://example.org or http://localhost:*',
    )
  })
}

/** Normalized like {@link toHostname}. */
export function parseHosts(text: string): readonly string[] {
  return parseNames(text).map((host) => {
    if (host === '*') return host
    const [, wildcard = '', name = ''] =
      /^(\*\.)?([^\s/?#@\\:*[\]]+|\[[\da-f:.]+\])$/i.exec(host) ?? []
    const hostname = toHostname(name)
    if (hostname && hostname !== 'none') return wildcard + hostname
    throw new Error(
      'a comma-separated list of hosts without ports such as vitrine.example or *.example, ip, or *',
    )
  })
}

/** In the format of Fastify's `trustProxy`. */
export function parseNetworks(text: string): readonly string[] {
  return parseNames(text).map((network) => {
    const [address = '', prefix = '1', ...more] = network.split('/')
    const family = isIP(address)
    // A prefix of length 0 would let every client set its own address.
    const isPrefix = /^\d+$/.test(prefix) && +prefix >= 1 && +prefix <= (family === 6 ? 128 : 32)
    if (family !== 0 && isPrefix && more.length === 0) return network
    throw new Error('a comma-separated list of addresses and CIDRs such as 10.0.0.0/8')
  })
}
