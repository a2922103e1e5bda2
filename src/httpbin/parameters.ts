import { parseGoDuration } from '../config/parse-settings.ts'
import { badRequest } from '../http/errors/http-error.ts'
import type { Parameter } from '../http/openapi/operation.ts'
import type { BinRequest, Dialect } from './dialect.ts'
import { findValue } from './text.ts'

/** The documentation of query parameters. */
export function toQuery(
  texts: Readonly<Record<string, readonly [description: string, example: string]>>,
): Parameter[] {
  return Object.entries(texts).map(([name, [description, example]]) => {
    return { name, in: 'query', description, schema: { type: 'string' }, example }
  })
}

/** In go-httpbin an empty value counts as none. */
export function findParameter(
  { query }: BinRequest,
  { name: dialect }: Dialect,
  name: string,
): string | undefined {
  const value = findValue(query, name)
  return dialect === 'go-httpbin' ? value || undefined : value
}

/** Throws 400. */
export function parseQueryInteger(
  request: BinRequest,
  dialect: Dialect,
  { name, parser = 'ParseInt' }: { name: string; parser?: 'Atoi' | 'ParseInt' },
): number | undefined {
  const text = findParameter(request, dialect, name)
  if (text === undefined) return undefined
  if (!dialect.isPython) return dialect.parseInteger(text, name, parser)
  if (/^\s*[+-]?\d+\s*$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text)
  throw badRequest(`${name} must be an integer.`)
}

export interface SecondsBounds {
  name: string
  max: number
  /** The minimum is 0 if unset. */
  isPositive?: boolean
}

/** Seconds, or in go-httpbin also `1.5s`. Throws 400. */
export function parseSeconds(
  text: string,
  { name: dialect }: Dialect,
  { name, max, isPositive = false }: SecondsBounds,
): number {
  const seconds = dialect === 'go-httpbin' ? parseGoSeconds(text) : parseFloatText(text)
  if (dialect === 'httpbin') {
    if (seconds !== undefined && seconds >= 0 && seconds <= max) return seconds
    const range = max === Infinity ? '' : `, at most ${String(max)}`
    throw badRequest(`${name} must be a positive number of seconds${range}.`)
  }
  if (seconds === undefined) {
    const parsing = `strconv.ParseFloat: parsing ${JSON.stringify(text)}: invalid syntax`
    throw badRequest(`invalid ${name}: ${parsing}`)
  }
  const min = isPositive ? 1e-9 : 0
  if (seconds >= min && seconds <= max) return seconds
  const bound =
    seconds > max ? `longer than ${toGoDuration(max)}` : `shorter than ${toGoDuration(min)}`
  throw badRequest(`invalid ${name}: duration ${toGoDuration(seconds)} ${bound}`)
}

export function parseQuerySeconds(
  request: BinRequest,
  dialect: Dialect,
  bounds: Omit<SecondsBounds, 'max'>,
): number | undefined {
  const text = findParameter(request, dialect, bounds.name)
  if (text === undefined) return undefined
  return parseSeconds(text, dialect, { ...bounds, max: request.config.maxDurationSeconds })
}

export function parseFloatText(text: string): number | undefined {
  return /^\s*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i.test(text) ? Number(text) : undefined
}

/** A number without a unit has milliseconds at most. */
function parseGoSeconds(text: string): number | undefined {
  const seconds = parseFloatText(text)
  return parseGoDuration(text) ?? (seconds && Math.trunc(seconds * 1000) / 1000)
}

/** As Go writes it: `1m0.5s`, `200ms`. */
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

/** Server-Timing, with the durations in seconds. */
export function toServerTiming(
  timings: readonly (readonly [name: string, seconds: number, description: string])[],
): string {
  return timings
    .map(([name, seconds, text]) => `${name};dur=${(seconds * 1000).toFixed(2)};desc="${text}"`)
    .join(', ')
}
