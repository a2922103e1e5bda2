import { isUtf8 } from 'node:buffer'
import qs from 'qs'
import type { Config } from '../../config/config.ts'
import { badRequest } from '../errors/http-error.ts'

export type ParameterLimits = Pick<Config, 'maxParameters' | 'maxParameterDepth' | 'maxListItems'>

/** A value of a query string or form: text, a list of values, or values by key. */
export type Parameter = string | readonly Parameter[] | Parameters
export interface Parameters {
  readonly [name: string]: Parameter | undefined
}

/**
 * Reads a query string, or a body of `application/x-www-form-urlencoded`: `a[b]=v` nests,
 * `a[]=1&a[]=2` and `a=1&a=2` are lists (seed, general convention 5). The objects have no
 * prototype, so that no key can reach one. Throws a 400 for what is over the limits or is not
 * UTF-8; nothing is cut.
 */
export function parseParameters(
  text: string,
  { maxParameters, maxParameterDepth, maxListItems }: ParameterLimits,
): Parameters {
  if (/(?:^|&)=/.test(text)) throw badRequest('A parameter has no name.')
  try {
    return qs.parse(text, {
      plainObjects: true,
      depth: maxParameterDepth,
      strictDepth: true,
      parameterLimit: maxParameters,
      arrayLimit: maxListItems,
      throwOnLimitExceeded: true,
      decoder: decodeComponent,
    }) as Parameters
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const limits = `${String(maxParameters)} parameters, ${String(maxListItems)} in a list and brackets ${String(maxParameterDepth)} deep`
    throw badRequest(`${limits} are the most for one request.`, error)
  }
}

function decodeComponent(text: string): string {
  if (!/[%+]/.test(text)) return text
  const spaced = text.replaceAll('+', ' ')
  // As browsers do (URL Standard, percent-decode), a % that begins no byte stands for itself.
  const escaped = spaced.replace(/%(?![0-9a-f]{2})/gi, '%25')
  try {
    return decodeURIComponent(escaped)
  } catch (error) {
    throw badRequest('The parameters hold bytes that are not UTF-8.', error)
  }
}

/** Bytes as text; throws a 400 when they are not UTF-8. */
export function decodeUtf8(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  throw badRequest('The content holds bytes that are not UTF-8.')
}

/** What a demonstration shows of a parameter: text as it is, anything nested as JSON. */
export function parameterToText(value: unknown): string {
  if (value === undefined) return ''
  if (typeof value === 'string') return value
  if (Array.isArray(value)) {
    return value.map((item) => (typeof item === 'string' ? item : JSON.stringify(item))).join(', ')
  }
  return JSON.stringify(value)
}
