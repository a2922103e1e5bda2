import type { FastifyRequest } from 'fastify'
import { hasBody, toMediaType } from '../../http/body/body-reader.ts'
import { badRequest, notAnObject, unsupportedMediaType } from '../../http/errors/http-error.ts'
import { toMediaTypeList } from '../../http/request/structured-field.ts'
import type { Resource } from '../definition.ts'
import { findListField } from './list-fields.ts'

/** Parameters by name, each with all its values. */
export type ParameterTexts = ReadonlyMap<string, readonly string[]>

/** A parameter of a list that is not valid. */
export class BadParameter extends Error {
  readonly parameter: string
  /** Completes "name …": `must be a number`. */
  readonly problem: string

  constructor(parameter: string, problem: string) {
    super(`${parameter} ${problem}`)
    this.parameter = parameter
    this.problem = problem
  }
}

/** The media types of a QUERY, for Accept-Query. */
export const queryTypes = ['application/json', 'application/x-www-form-urlencoded'] as const
export const acceptQuery = toMediaTypeList(queryTypes)

/**
 * The parameters of the URL and, with QUERY, of the body. Throws a BadParameter for one that is in
 * both, or is neither text nor a list of texts.
 */
export function findParameters(resource: Resource, request: FastifyRequest): ParameterTexts {
  const parameters = toTexts(parseUrl(resource, request))
  if (request.method !== 'QUERY') return parameters
  const merged = new Map(parameters)
  for (const [name, values] of toTexts(Object.entries(parseBody(request)))) {
    if (merged.has(name)) throw new BadParameter(name, 'is in the URL and in the body')
    merged.set(name, values)
  }
  return merged
}

/** Not from `request.query`, where brackets nest: the name of a field may have any character. */
function parseUrl(resource: Resource, { url, raw }: FastifyRequest): [string, string[]][] {
  const parameters = new Map<string, string[]>()
  const { formHeaders = {} } = raw.target?.query ?? {}
  const [, text = ''] = url.split(/\?(.*)/s)
  for (const [given, value] of new URLSearchParams(text)) {
    if (Object.hasOwn(formHeaders, given)) continue
    const name = findListField(resource, given) ? given : given.replace(/\[\d*\]$/, '')
    const values = parameters.get(name)
    if (values) values.push(value)
    else parameters.set(name, [value])
  }
  return [...parameters]
}

/** Throws 415 for another type, 400 for malformed JSON, 422 for JSON that is no object. */
function parseBody({ headers, body, raw }: FastifyRequest): object {
  const type = toMediaType(headers['content-type'])
  if (!queryTypes.some((known) => known === type)) {
    throw unsupportedMediaType(`A QUERY must be sent as ${queryTypes.join(' or ')}.`, {
      'accept-query': acceptQuery,
      accept: queryTypes.join(', '),
    })
  }
  if (body === undefined) {
    // RFC 10008 §2: the body must be what Content-Type says, and an empty one is not JSON.
    if (type === 'application/json' || hasBody(raw)) throw badRequest(`The body is not ${type}.`)
    return {}
  }
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body
  throw notAnObject('query')
}

function toTexts(parameters: readonly [string, unknown][]): ParameterTexts {
  return new Map(parameters.map(([name, value]) => [name, toValues(name, value)]))
}

const maxValues = 100

function toValues(name: string, value: unknown): string[] {
  const values: unknown[] = Array.isArray(value) ? value : [value]
  const scalars = values.filter((item) => ['string', 'number', 'boolean'].includes(typeof item))
  if (scalars.length < values.length) {
    throw new BadParameter(name, 'must be text, a number, true, false, or a list of them')
  }
  if (scalars.length === 0) throw new BadParameter(name, 'must have a value')
  if (scalars.length > maxValues) {
    throw new BadParameter(name, `must have at most ${String(maxValues)} values`)
  }
  return scalars.map(String)
}
