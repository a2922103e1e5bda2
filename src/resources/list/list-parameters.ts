import type { FastifyRequest } from 'fastify'
import { hasBody, toMediaType } from '../../http/body/body-reader.ts'
import {
  badRequest,
  HttpError,
  notAnObject,
  unknownParameter,
  unprocessable,
  unsupportedMediaType,
} from '../../http/errors/http-error.ts'
import { toMediaTypeList } from '../../http/request/allowed-methods.ts'
import { toQueryText } from '../../http/request/target.ts'
import { acceptedTypes, type Resource } from '../definition.ts'
import { findListField } from './list-fields.ts'

export type ParameterTexts = ReadonlyMap<string, readonly string[]>

export interface ListUrl {
  path: string
  parameters: ParameterTexts
}

export const firstPage = { page: undefined, after: undefined }

export function toHref(
  { path, parameters }: ListUrl,
  changes: Readonly<Record<string, string | undefined>> = {},
): string {
  const texts = new URLSearchParams()
  for (const [name, values] of parameters) for (const value of values) texts.append(name, value)
  for (const [name, value] of Object.entries(changes)) {
    texts.delete(name)
    if (value !== undefined) texts.set(name, value)
  }
  return texts.size === 0 ? path : `${path}?${texts.toString()}`
}

/** `message` completes "name …": `must be a number`. */
export function badParameter(field: string, message: string): HttpError {
  return unprocessable([{ field, message }])
}

/** Throws 400 for a bad parameter, 422 with QUERY, whose body may have it. */
export function withParameterErrors<Parsed>(
  { method }: FastifyRequest,
  parse: () => Parsed,
): Parsed {
  try {
    return parse()
  } catch (error) {
    const isParameter = error instanceof HttpError && error.problem === 'invalid-fields'
    throw isParameter && method !== 'QUERY' ? unknownParameter(error.message) : error
  }
}

export const acceptQuery = toMediaTypeList(acceptedTypes)

export function findParameters(resource: Resource, request: FastifyRequest): ParameterTexts {
  const parameters = parseUrl(resource, request)
  if (request.method !== 'QUERY') return parameters
  for (const [name, value] of Object.entries(parseBody(request))) {
    if (parameters.has(name)) throw badParameter(name, 'is in the URL and in the body')
    parameters.set(name, toTexts(name, value))
  }
  return parameters
}

/** Not from `request.query`, where brackets nest: the name of a field may have any character. */
function parseUrl(resource: Resource, { url, raw }: FastifyRequest): Map<string, string[]> {
  const { formHeaders = {} } = raw.target?.getQuery() ?? {}
  const parameters = new Map<string, string[]>()
  for (const [given, value] of new URLSearchParams(toQueryText(url))) {
    if (Object.hasOwn(formHeaders, given)) continue
    const name = findListField(resource, given) ? given : given.replace(/\[\d*\]$/, '')
    parameters.set(name, toTexts(name, [...(parameters.get(name) ?? []), value]))
  }
  return parameters
}

function parseBody({ headers, body, raw }: FastifyRequest): object {
  const type = toMediaType(headers['content-type'])
  if (!acceptedTypes.some((known) => known === type)) {
    throw unsupportedMediaType(`A QUERY must be sent as ${acceptedTypes.join(' or ')}.`, {
      'accept-query': acceptQuery,
      accept: acceptedTypes.join(', '),
    })
  }
  if (body === undefined) {
    // RFC 10008 §2: the body must be what Content-Type says, and an empty one is not JSON.
    if (type === 'application/json' || hasBody(raw)) throw badRequest(`The body is not ${type}.`)
    return {}
  }
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body
  throw notAnObject('a query')
}

export const maxValues = 100

function toTexts(name: string, value: unknown): string[] {
  const values: unknown[] = Array.isArray(value) ? value : [value]
  if (values.some((item) => !['string', 'number', 'boolean'].includes(typeof item)))
    throw badParameter(name, 'must be text, a number, true, false, or a list of them')
  if (values.length === 0) throw badParameter(name, 'must have a value')
  if (values.length > maxValues)
    throw badParameter(name, `must have at most ${String(maxValues)} values`)
  return values.map(String)
}
