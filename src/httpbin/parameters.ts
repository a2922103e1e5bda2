import { parseGoDuration } from '../config/parse-duration.ts'
import { badRequest } from '../http/errors/http-error.ts'
import { isDecimal } from '../http/request/parameters.ts'
import type { DialectRequest } from './dialect.ts'
import { findFirst } from './text.ts'

/** In go-httpbin an empty value counts as none. */
export function findParameter({ query, dialect }: DialectRequest, name: string) {
  const value = findFirst(query, name)
  return dialect.isPython ? value : value || undefined
}

export function findInteger(
  request: DialectRequest,
  name: string,
  parser: 'Atoi' | 'ParseInt' = 'ParseInt',
): number | undefined {
  const { isPython, parseInteger } = request.dialect
  const text = findParameter(request, name)
  if (text === undefined) return undefined
  if (!isPython) return parseInteger(text, name, parser)
  if (/^[+-]?\d+$/.test(text.trim()) && Number.isSafeInteger(Number(text))) return Number(text)
  throw badRequest(`${name} must be an integer.`)
}

/** Throws 400, as go-httpbin does. */
export function assertInRange(value: number, what: string, [min, max]: [number, number]): void {
  if (value >= min && value <= max) return
  const range = `[${String(min)}, ${String(max)}]`
  throw badRequest(`invalid ${what}: ${String(value)} not in range ${range}`)
}

/** The text is a number of seconds, or a duration such as `1.5s`. Throws 400. */
export function parseSeconds(
  { dialect }: DialectRequest,
  text: string,
  { name, max, min = 0 }: { name: string; max: number; min?: number },
): number {
  const { isPython } = dialect
  const number = parseFloatText(isPython ? text.trim() : text)
  // In Go, a number without a unit has milliseconds at most.
  const seconds = parseGoDuration(text) ?? (number && Math.trunc(number * 1000) / 1000)
  if (seconds !== undefined && seconds >= min && seconds <= max) return seconds
  if (isPython) {
    const range = max === Infinity ? '' : `, at most ${String(max)}`
    throw badRequest(`${name} must be a positive number of seconds${range}.`)
  }
  if (seconds === undefined)
    throw badRequest(`invalid ${name}: ${toParseError('ParseFloat', text)}`)
  const bound =
    seconds > max ? `longer than ${toGoDuration(max)}` : `shorter than ${toGoDuration(min)}`
  throw badRequest(`invalid ${name}: duration ${toGoDuration(seconds)} ${bound}`)
}

export function parseQuerySeconds(request: DialectRequest, name: string, min?: number) {
  const text = findParameter(request, name)
  const bounds = { name, max: request.config.maxDurationSeconds, ...(min && { min }) }
  return text === undefined ? undefined : parseSeconds(request, text, bounds)
}

export const toParseError = (parser: string, text: string) =>
  `strconv.${parser}: parsing ${quote(text)}: invalid syntax`

/** `strconv.Quote` of Go writes most texts so. */
export const quote = (text: string) =>
  JSON.stringify(text)
    .replaceAll(/(?<!\\)\\u00/g, '\\x')
    .replaceAll('\x7f', '\\x7f')

export const parseFloatText = (text: string) => (isDecimal(text) ? Number(text) : undefined)

/** Go writes `1m0.5s` and `200ms`. */
export function toGoDuration(seconds: number): string {
  const size = Math.abs(seconds)
  const sign = seconds < 0 ? '-' : ''
  const toText = (value: number, digits: number) => String(Number(value.toFixed(digits)))
  if (size === 0) return '0s'
  if (size < 1e-6) return `${sign}${toText(size * 1e9, 0)}ns`
  if (size < 1e-3) return `${sign}${toText(size * 1e6, 3)}µs`
  if (size < 1) return `${sign}${toText(size * 1e3, 6)}ms`
  const minutes = Math.floor(size / 60)
  const hours = minutes >= 60 ? `${String(Math.floor(minutes / 60))}h` : ''
  const start = minutes > 0 ? `${hours}${String(minutes % 60)}m` : ''
  return `${sign}${start}${toText(size % 60, 9)}s`
}
