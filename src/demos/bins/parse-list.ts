import type { FastifyRequest } from 'fastify'
import { unknownParameter } from '../../http/errors/http-error.ts'
import { text } from '../../http/openapi/content.ts'
import type { Parameter } from '../../http/openapi/operation.ts'
import { isObject } from '../../http/request/parameters.ts'
import { parseParameters } from '../../resources/list/list-parameters.ts'
import { parsePart } from '../../resources/list/list-part.ts'
import { toReceivedAt } from './bin-ids.ts'
import type { CapturedRequest } from './captured-request.ts'

const maxWaitSeconds = 60

const newest = '-receivedAt'
const sortTerms = ['receivedAt', newest]

export type RequestList = ReturnType<typeof parseRequestList>

export const listParameters: readonly Parameter[] = [
  toParameter('method', 'Only requests with this method.', 'POST'),
  toParameter('path', 'Only requests whose path and query below the bin contain this text.', '/a'),
  toParameter('contains', 'Only requests with this text in the target, a header or the body.', 'a'),
  toParameter('q', 'The same as `contains`, as in other lists.', 'a'),
  toParameter('after', 'Only requests after the one with this id.', ''),
  {
    ...toParameter('sort', 'The newest first with `-receivedAt`.', newest),
    schema: { enum: sortTerms },
  },
  {
    ...toParameter('wait', 'Seconds to wait for a request that fits, if there is none.', '30'),
    schema: { type: 'integer', minimum: 0, maximum: maxWaitSeconds },
    example: 1,
  },
  {
    ...toParameter('page', 'The number of the page.', '1'),
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  {
    ...toParameter('per_page', 'The number of requests on a page.', '20'),
    schema: { type: 'integer', minimum: 1, maximum: 1000 },
    example: 20,
  },
]

function toParameter(name: string, description: string, example: string): Parameter {
  return { name, in: 'query', description, schema: text, example }
}

/** Throws 400 for other parameters and values. */
export function parseRequestList(request: FastifyRequest) {
  const query = isObject(request.query) ? request.query : {}
  const texts = new Map(Object.entries(query).map(([name, value]) => [name, toText(name, value)]))
  const {
    after,
    method = '',
    path = '',
    q = '',
    contains = q,
    sort,
    wait = '0',
  } = Object.fromEntries(texts)
  if (after !== undefined && toReceivedAt(after) === undefined)
    throw unknownParameter('after must be the id of a request.')
  if (sort !== undefined && !sortTerms.includes(sort))
    throw unknownParameter(`sort must be ${sortTerms.join(' or ')}.`)
  if (!/^\d{1,2}$/.test(wait) || Number(wait) > maxWaitSeconds)
    throw unknownParameter(`wait must be a whole number from 0 to ${String(maxWaitSeconds)}.`)
  const paging = ['page', 'per_page'].flatMap((name): [string, string[]][] => {
    const value = texts.get(name)
    return value === undefined ? [] : [[name, [value]]]
  })
  const part = parseParameters(request, () => parsePart(Object.fromEntries(paging)))
  const words = contains.toLowerCase()
  return {
    texts,
    after,
    part,
    isDescending: sort === newest,
    waitSeconds: Number(wait),
    isMatch: (one: CapturedRequest) =>
      (method === '' || one.method === method.toUpperCase()) &&
      one.path.includes(path) &&
      (words === '' || toSearched(one).includes(words)),
  }
}

function toText(name: string, value: unknown): string {
  if (!listParameters.some((known) => known.name === name))
    throw unknownParameter(`${name} is not a parameter of this list.`)
  if (typeof value === 'string') return value
  throw unknownParameter(`${name} must be given once.`)
}

function toSearched({ target, requestFields, requestBody }: CapturedRequest): string {
  const fields = requestFields.map((field) => field.join(': '))
  return [target, ...fields, requestBody?.text ?? ''].join('\n').toLowerCase()
}
