import type { FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import { findNearest } from '../config/find-nearest.ts'
import { badRequest, type FieldProblem } from '../http/errors/http-error.ts'
import { orEmpty, queryParameter, text } from '../http/openapi/content.ts'
import type { Parameter } from '../http/openapi/operation.ts'
import { parseJson } from '../http/body/parse-json.ts'
import { readBytes } from '../http/body/read-bytes.ts'
import { decodeComponent, decodeUtf8, isDecimal } from '../http/request/parameters.ts'
import type { Pair } from '../http/security/visitor-response.ts'
import { descriptionSchema } from './description.ts'
import { badDescription } from './parse-description.ts'

export function readQuery(request: FastifyRequest): readonly Pair[] {
  return toAllParameters(request).filter(([name]) => name !== tagParameter.name)
}

export const tagParameter = queryParameter('tag', [
  'Any text, which is ignored. The filter `path` of the request inspector finds it.',
  'test-1',
])

export function toAllParameters({ raw }: FastifyRequest): readonly Pair[] {
  const { url = '' } = raw.target ?? {}
  const start = url.indexOf('?')
  if (start === -1) return []
  // URLSearchParams would replace bytes that are not UTF-8.
  decodeComponent(url.slice(start))
  return [...new URLSearchParams(url.slice(start))]
}

/**
 * The JSON of the parameter `description` or, without any parameter, of the body, with the start of an
 * error. It is unchecked, and undefined if there is none. Throws 400 and 413.
 */
export async function readDescription(
  request: FastifyRequest,
  query: readonly Pair[],
  config: Config,
): Promise<{ value: unknown; intro: string } | undefined> {
  const [, given] = query.find(([name]) => name === 'description') ?? []
  if (given !== undefined) {
    const [other] = query.find(([name]) => name !== 'description') ?? []
    if (other !== undefined) throw badRequest(`${other} cannot be used with description.`)
    return { value: parseJson(given, config, 'description'), intro: '' }
  }
  if (query.length > 0) return undefined
  const bytes = await readBytes(request.raw, config)
  if (bytes.length === 0) return undefined
  const intro = 'Without a parameter other than tag, the body describes the response. '
  return { value: parseJson(decodeUtf8(bytes), config, `${intro}It`), intro }
}

const repeatable = ['header', 'header_base64', 'cookie', 'trailer', 'early_hint']
const { properties } = descriptionSchema
const flags = ['close', 'ranges']
/** Only JSON can have `interim`. */
const inQuery = Object.entries(properties).filter(([name]) => name !== 'interim')
const numbers = inQuery.flatMap(([name, schema]) =>
  'minimum' in schema || name === 'delay' ? [name] : [],
)

export const descriptionParameters = inQuery.map(([member, schema]): Parameter => {
  const name = member.replace(/s$/, '')
  const { description, ...type } = schema
  if (!repeatable.includes(name))
    return orEmpty(
      queryParameter(member, [description, undefined, member === 'json' ? text : type]),
    )
  const form = name === 'cookie' ? '' : ' Each is `Name: value`.'
  const texts = { type: 'array', items: text }
  return orEmpty(queryParameter(name, [description + form, undefined, texts]))
})

const remedies = new Map([
  ['retry_after', 'header=Retry-After:1'],
  ['steps', '/responses/sequence'],
])

export function toUnknownProblem(
  field: string,
  known: readonly string[],
  remedy = findNearest(field, known),
): FieldProblem {
  const hint = remedy === undefined ? `the parameters are ${known.join(', ')}` : `use ${remedy}`
  return { field, message: `is not allowed: ${hint}` }
}

/** The description in query parameters, unchecked. `others` are the other parameters of the URL. Throws 400. */
export function parseMembers(
  query: readonly Pair[],
  config: Config,
  others: readonly string[] = [],
): Record<string, unknown> {
  const known = [...others, ...descriptionParameters.map(({ name }) => name)]
  const isKnown = (name: string) => known.includes(name) || known.includes(name.replace(/s$/, ''))
  const unknown = new Set(query.map(([name]) => name).filter((name) => !isKnown(name)))
  if (unknown.size > 0) {
    const toProblem = (name: string) => toUnknownProblem(name, known, remedies.get(name))
    throw badDescription([...unknown].map(toProblem))
  }
  // A form sends its empty fields too.
  const given = query.filter(([name, value]) => value !== '' || flags.includes(name))
  const groups = Map.groupBy(given, ([name]) => name)
  const entries = [...groups].map(([name, pairs]): [string, unknown] => {
    const values = pairs.map(([, value]) => value)
    if (!repeatable.includes(name)) return [name, parseMember(name, values, config)]
    if (name === 'cookie') return ['cookies', values]
    if (name === 'header_base64') return [name, parseNamedLines(name, values, toBase64)]
    return [`${name}s`, parseNamedLines(name, values)]
  })
  return Object.fromEntries(entries)
}

/** A value that has no such form stays text, for the error of the schema. */
function parseMember(name: string, [value = '', ...others]: readonly string[], config: Config) {
  const singular = name.replace(/s$/, '')
  if (repeatable.includes(singular))
    throw badRequest(`${name} is a member of JSON. Use ${singular}=….`)
  if (others.length > 0) throw badRequest(`${name} is given more than once.`)
  if (name === 'json') return parseJson(value, config, 'json')
  // In a query, + is a space.
  if (name === 'base64') return value.replaceAll(' ', '+')
  if (flags.includes(name)) return toFlag(value)
  return numbers.includes(name) && isDecimal(value) ? Number(value) : value
}

export function toFlag(value: string): boolean | string {
  return /^(1|true)?$/.test(value) || (!/^(0|false)$/.test(value) && value)
}

/** In a query, + is a space. The first one may be that of `Name: value`: padded Base64 shows which. */
function toBase64(value: string): string {
  const text = value.replaceAll(' ', '+')
  return value.startsWith(' ') && text.length % 4 !== 0 ? text.slice(1) : text
}

function parseNamedLines(
  name: string,
  lines: readonly string[],
  toValue = (value: string) => value.trimStart(),
) {
  const pairs = lines.map((line): Pair => {
    const [, field, value] = /^([^:]+):(.*)$/s.exec(line) ?? []
    if (field === undefined || value === undefined) {
      throw badRequest(`${name} must have the form "Name: value".`)
    }
    return [field, toValue(value)]
  })
  return toObject(pairs)
}

export function toObject(pairs: readonly Pair[]): Record<string, string | string[]> {
  const groups = Map.groupBy(pairs, ([name]) => name)
  return Object.fromEntries(
    [...groups].map(([name, all]) => {
      const values = all.map(([, value]) => value)
      return [name, values.length > 1 ? values : values.join('')]
    }),
  )
}
