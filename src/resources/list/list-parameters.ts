import type { FastifyRequest } from 'fastify'
import { isObject } from '../../config/is-object.ts'
import { hasBody, toMediaType } from '../../http/body/body-reader.ts'
import { badRequest, notAnObject, unsupportedMediaType } from '../../http/errors/http-error.ts'
import { badParameter, parseTexts, type ParameterTexts } from '../../lists/parameters.ts'
import { toMediaTypeList } from '../../http/request/allowed-methods.ts'
import { toQueryText } from '../../http/request/target.ts'
import { acceptedTypes, type Resource } from '../definition.ts'
import { findListField } from './list-fields.ts'

export const acceptQuery = toMediaTypeList(acceptedTypes)

export function findListParameters(resource: Resource, request: FastifyRequest): ParameterTexts {
  const parameters = parseUrl(resource, request)
  if (request.method !== 'QUERY') return parameters
  for (const [name, value] of Object.entries(parseBody(request))) {
    if (parameters.has(name)) throw badParameter(name, 'is in the URL and in the body')
    parameters.set(name, parseTexts(name, value))
  }
  return parameters
}

/** Does not read `request.query`, where brackets nest: the name of a field may have any character. */
function parseUrl(resource: Resource, { url, raw }: FastifyRequest): Map<string, string[]> {
  const { formHeaders = {} } = raw.target?.getQuery() ?? {}
  const parameters = new Map<string, string[]>()
  for (const [given, value] of new URLSearchParams(toQueryText(url))) {
    if (Object.hasOwn(formHeaders, given)) continue
    const name = findListField(resource, given) ? given : given.replace(/\[\d*\]$/, '')
    parameters.set(name, parseTexts(name, [...(parameters.get(name) ?? []), value]))
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
  if (isObject(body)) return body
  throw notAnObject('a query')
}
