import type { FastifyRequest } from 'fastify'
import { queryParameter, text } from '../../http/openapi/content.ts'
import { isObject } from '../../http/request/parameters.ts'
import { badParameter, parseParameters } from '../../resources/list/list-parameters.ts'
import { maxPage, maxPerPage, parseCount, parsePart } from '../../resources/list/list-part.ts'
import { toReceivedAt } from './bin-ids.ts'
import type { CapturedRequest } from './captured-request.ts'

const maxWaitSeconds = 60

const newest = '-receivedAt'
const sortTerms = ['receivedAt', newest]

const whole = (minimum: number, maximum: number) => ({ type: 'integer', minimum, maximum })

export const listParameters = [
  queryParameter('method', 'Only requests with this method.', text, 'POST'),
  queryParameter('path', 'Only requests with this text in the path or the query.', text, '/a'),
  queryParameter('contains', 'Only requests with this text anywhere, in any case.', text, 'a'),
  queryParameter('q', 'The same as `contains`, as in other lists.', text, 'a'),
  queryParameter('after', 'Only requests after the one with this id.', text, ''),
  queryParameter('sort', 'The newest first with `-receivedAt`.', { enum: sortTerms }, newest),
  queryParameter('wait', 'Seconds to wait if no request fits.', whole(0, maxWaitSeconds), 1),
  queryParameter('page', 'The number of the page.', whole(1, maxPage), 1),
  queryParameter('per_page', 'The number of requests on a page.', whole(1, maxPerPage), 20),
]

export type RequestList = ReturnType<typeof parseRequestList>

/** Throws 400 for other parameters and values. */
export function parseRequestList(request: FastifyRequest) {
  return parseParameters(request, () => {
    const query = Object.entries(isObject(request.query) ? request.query : {})
    const parameters = new Map(query.map(([name, value]) => [name, [toText(name, value)]]))
    return { parameters, ...toList(Object.fromEntries(parameters)) }
  })
}

function toText(name: string, value: unknown): string {
  if (!listParameters.some((known) => known.name === name))
    throw badParameter(name, 'is not a parameter of this list')
  if (typeof value === 'string') return value
  throw badParameter(name, 'must be given once')
}

type Texts = Readonly<Partial<Record<string, readonly string[]>>>

function toList(texts: Texts) {
  const { page, per_page } = texts
  const [after, sort] = [texts.after?.[0], texts.sort?.[0]]
  if (after !== undefined && toReceivedAt(after) === undefined)
    throw badParameter('after', 'must be the id of a request')
  if (sort !== undefined && !sortTerms.includes(sort))
    throw badParameter('sort', `must be ${sortTerms.join(' or ')}`)
  return {
    after,
    part: parsePart({ page, per_page }),
    isDescending: sort === newest,
    waitSeconds: parseCount(texts, 'wait', { min: 0, max: maxWaitSeconds }) ?? 0,
    isMatch: toMatch(texts),
  }
}

function toMatch({ method, path, q, contains = q }: Texts) {
  const [ofMethod = '', ofPath = '', words = ''] = [method, path, contains].map((one) => one?.[0])
  return (one: CapturedRequest) =>
    (ofMethod === '' || one.method === ofMethod.toUpperCase()) &&
    one.path.includes(ofPath) &&
    (words === '' || toSearched(one).includes(words.toLowerCase()))
}

function toSearched({ target, requestFields, requestBody }: CapturedRequest): string {
  const fields = requestFields.map((field) => field.join(': '))
  return [target, ...fields, requestBody?.text ?? ''].join('\n').toLowerCase()
}
