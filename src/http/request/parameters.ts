import { isUtf8 } from 'node:buffer'
import qs from 'qs'
import { formatNumber } from '../../config/format-count.ts'
import { isObject } from '../../config/is-object.ts'
import type { Config } from '../../config/config.ts'
import { maxBracketDepth, maxValues } from '../../config/limits.ts'
import { badRequest } from '../errors/http-error.ts'

/** `a[b]=v` nests, `a[]=1&a[]=2` and `a=1&a=2` are lists. The objects have no prototype. */
export function parseParameters(
  text: string,
  { maxParameters }: Pick<Config, 'maxParameters'>,
): Readonly<Record<string, unknown>> {
  const parts = text.split('&', maxParameters + 1)
  if (parts.length > maxParameters) throw overLimit(maxParameters, 'parameters (MAX_PARAMETERS)')
  if (parts.some((part) => part.startsWith('='))) throw badRequest('A parameter has no name.')
  const flat = parseFlat(parts)
  if (flat) return flat
  try {
    const parameters = qs.parse(text, {
      plainObjects: true,
      depth: maxBracketDepth,
      strictDepth: true,
      parameterLimit: maxParameters,
      // A number that is not below it is the name of a member, as any text is.
      arrayLimit: maxValues,
      decoder: (part, _decode, _charset, kind) =>
        kind === 'key' ? decodeName(part) : decodeComponent(part),
    })
    if (!hasLongList(parameters)) return parameters
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw overLimit(maxBracketDepth, 'levels of brackets in a parameter')
  }
  throw overLimit(maxValues, 'values of a parameter')
}

function overLimit(limit: number, what: string): Error {
  return badRequest(`The request has more than ${formatNumber(limit)} ${what}.`)
}

/** `qs` makes an object of a list that is too long. */
function hasLongList(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const isLong = Array.from({ length: maxValues + 1 }).every((_, index) => index in value)
  return isLong || Object.values(value).some((member) => hasLongList(member))
}

/** `qs`, which takes four times as long, is left for brackets, special names and errors. */
function parseFlat(parts: readonly string[]): Record<string, unknown> | undefined {
  const parameters: Record<string, unknown> = { __proto__: null }
  for (const part of parts) {
    const [name = ''] = part.split('=', 1)
    const decoded = decodeComponent(name)
    if (decoded === '' || /[[\]]|^__proto__$/.test(decoded) || decoded in parameters)
      return undefined
    parameters[decoded] = decodeComponent(part.slice(name.length + 1))
  }
  return parameters
}

function decodeName(text: string): string {
  const name = decodeComponent(text)
  // `qs` would drop the parameter.
  if (!/(?:^|[[\]])__proto__(?:$|[[\]])/.test(name)) return name
  throw badRequest('A parameter must not be named __proto__.')
}

/** Throws 400 for bytes that are not UTF-8. */
export function decodeComponent(text: string): string {
  if (!/[%+]/.test(text)) return text
  // A % without two hexadecimal digits is literal (URL Standard, percent-decode).
  const escaped = text.replaceAll('+', ' ').replace(/%(?![0-9a-f]{2})/gi, '%25')
  try {
    return decodeURIComponent(escaped)
  } catch (error) {
    throw badRequest('A parameter is not valid UTF-8.', error)
  }
}

export const formHeaderNames = ['_method', '_if_match', '_idempotency_key', '_request_id'] as const

/** If method overrides are off, only `_request_id`, which the pages add, is no ordinary field. */
export function takeFormHeaders(
  value: unknown,
  { methodOverride }: Pick<Config, 'methodOverride'>,
) {
  const taken: Partial<Record<(typeof formHeaderNames)[number], unknown>> = {}
  if (!isObject(value)) return taken
  for (const name of formHeaderNames) {
    if (!(name in value) || (name !== '_request_id' && !methodOverride)) continue
    taken[name] = value[name]
    Reflect.deleteProperty(value, name)
  }
  return taken
}

/** The field `_was.name` of an edit form has what the field `name` had before. */
export const previousPrefix = '_was.'

/** An edit form has twice as many parameters as fields: it also sends what they had before. */
export function parseForm(text: string, config: Config) {
  const count = text.match(/(?:^|&)_was\./g)?.length ?? 0
  const maxParameters = config.maxParameters + Math.min(count, config.maxParameters)
  return parseParameters(text, { maxParameters })
}

export function takePrevious(form: Record<string, unknown>): Readonly<Record<string, unknown>> {
  const names = Object.keys(form).filter((name) => name.startsWith(previousPrefix))
  const taken = names.map((name) => [name.slice(previousPrefix.length), form[name]] as const)
  for (const name of names) Reflect.deleteProperty(form, name)
  return Object.fromEntries(taken)
}

export function decodeUtf8(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  throw badRequest('The body is not valid UTF-8.')
}

export function parameterToText(value: unknown): string {
  if (value === undefined) return ''
  const items: unknown[] = Array.isArray(value) ? value : [value]
  return items.map((item) => (typeof item === 'string' ? item : JSON.stringify(item))).join(', ')
}

export function isDecimal(text: string): boolean {
  // The pattern is unambiguous, so that matching takes linear time.
  return text.length <= 64 && /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text)
}
