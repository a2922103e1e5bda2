import type { FastifyRequest } from 'fastify'
import { hasBody, toMediaType } from '../../http/body/body-reader.ts'
import { badRequest, notAnObject, unsupportedMediaType } from '../../http/errors/http-error.ts'
import { toMediaTypeList } from '../../http/request/structured-field.ts'

/** Parameters by name, each with all its values. */
export type ParameterTexts = ReadonlyMap<string, readonly string[]>

/** A parameter of a list that cannot be heeded. */
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

/** In which media types a QUERY may come, for Accept-Query. */
export const queryTypes = ['application/json', 'application/x-www-form-urlencoded'] as const
export const acceptQuery = toMediaTypeList(queryTypes)

/**
 * The parameters of a list: those of the address and, of a QUERY, those of its content. Throws a
 * BadParameter for one that is said in both, or is neither text nor a list of texts.
 */
export function findParameters(request: FastifyRequest): ParameterTexts {
  const parameters = toTexts(request.query as object)
  assertNoPrototype(request.url)
  if (request.method !== 'QUERY') return parameters
  const merged = new Map(parameters)
  for (const [name, values] of toTexts(parseContent(request))) {
    if (merged.has(name)) throw new BadParameter(name, 'is in the address and in the content')
    merged.set(name, values)
  }
  return merged
}

/** The reader of query strings passes this one name over, so that it can do no harm. */
function assertNoPrototype(url: string): void {
  const [, query = ''] = url.split('?', 2)
  for (const name of new URLSearchParams(query).keys()) {
    if (/^__proto__/.test(name)) throw new BadParameter('__proto__', 'is no field here')
  }
}

/** Throws 415 for another type, 400 for no JSON, 422 for JSON that is no object. */
function parseContent({ headers, body, raw }: FastifyRequest): object {
  const type = toMediaType(headers['content-type'])
  if (!queryTypes.some((known) => known === type)) {
    throw unsupportedMediaType(`A QUERY is read from ${queryTypes.join(' or ')}.`, {
      'accept-query': acceptQuery,
      accept: queryTypes.join(', '),
    })
  }
  if (body === undefined) {
    // RFC 10008 §2: content that is not what Content-Type says is refused, and nothing is no JSON.
    if (type === 'application/json' || hasBody(raw)) throw badRequest(`The content is not ${type}.`)
    return {}
  }
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body
  throw notAnObject('query')
}

function toTexts(parameters: object): ParameterTexts {
  return new Map(Object.entries(parameters).map(([name, value]) => [name, toValues(name, value)]))
}

const maxValues = 100

function toValues(name: string, value: unknown): string[] {
  const values: unknown[] = Array.isArray(value) ? value : [value]
  const texts = values.filter((item) => typeof item === 'string' || typeof item === 'number')
  if (texts.length < values.length) {
    throw new BadParameter(name, 'must be text, a number, or a list of them')
  }
  if (texts.length === 0) throw new BadParameter(name, 'must have a value')
  if (texts.length > maxValues) {
    throw new BadParameter(name, `must have at most ${String(maxValues)} values`)
  }
  return texts.map(String)
}
