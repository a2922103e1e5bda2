import type { FastifyReply, FastifyRequest } from 'fastify'
import { HttpError } from '../../http/errors/http-error.ts'
import { chooseType } from '../../http/negotiation/negotiate.ts'
import { orEmpty, queryParameter, text } from '../../http/openapi/content.ts'
import { statusPattern } from '../../inspector/filter.ts'
import { isObject, maxSearchLength } from '../../http/request/parameters.ts'
import { toPath } from '../../http/request/target.ts'
import { toLinkField, toPageLinks } from '../../http/response/links.ts'
import { sendChunks, toJsonArray, toJsonLines } from '../../http/response/send.ts'
import { badParameter, withParameterErrors, toHref } from '../../lists/parameters.ts'
import { maxPage, maxPerPage, parseCount, parsePart } from '../../lists/part.ts'
import type { Bin } from './bin-store.ts'
import { toReceivedAt } from './bin-ids.ts'
import { requestToJson, type CapturedRequest } from './captured-request.ts'
import type { BinServices } from './of-bin.ts'
import { findMatching, toMatch, type Pages } from './search.ts'

const maxWaitSeconds = 60

const newest = '-receivedAt'
const sortTerms = ['receivedAt', newest]

const whole = (minimum: number, maximum: number) => ({ type: 'integer', minimum, maximum })

const status = { ...text, pattern: statusPattern }

export const filterParameters = [
  queryParameter('method', 'Only requests with this method.', text, 'POST'),
  queryParameter('path', 'Only requests with this text in the path or the query.', text, '/a'),
  orEmpty(queryParameter('status', 'Only those with this status, or a class.', status, '2xx')),
  queryParameter('contains', 'Only requests with this text anywhere, in any case.', text, 'a'),
  queryParameter('q', 'The same as `contains`, as in other lists.', text, 'a'),
  queryParameter('after', 'Only requests after the one with this id.', text, ''),
]

export const requestListParameters = [
  ...filterParameters,
  queryParameter('sort', 'The newest first with `-receivedAt`.', { enum: sortTerms }, newest),
  queryParameter('wait', 'Seconds to wait if no request fits.', whole(0, maxWaitSeconds), 1),
  queryParameter('page', 'The number of the page.', whole(1, maxPage), 1),
  orEmpty(queryParameter('per_page', 'The requests on a page.', whole(1, maxPerPage), 20)),
]

export type RequestList = ReturnType<typeof parseRequestList>

/** Throws 400 for other values, and for parameters that are neither `known` nor `others`. */
export function parseRequestList(
  request: FastifyRequest,
  others: readonly string[] = [],
  known = requestListParameters,
) {
  const query = Object.entries(isObject(request.query) ? request.query : {})
  const own = query.filter(([name]) => !['secret', ...others].includes(name))
  return withParameterErrors(request, () => {
    const other = own.find(([name]) => !known.some((one) => one.name === name))
    if (other) throw badParameter(other[0], 'is not a parameter of this request')
    const texts = Object.fromEntries(own.map(([name, value]) => [name, toText(name, value)]))
    const { after = '', sort, status = '' } = texts
    const long = own.find(([name]) => (texts[name] ?? '').length > maxSearchLength)
    if (long) throw badParameter(long[0], `must have at most ${String(maxSearchLength)} characters`)
    if (status !== '' && !new RegExp(statusPattern).test(status))
      throw badParameter('status', 'must be a status code or a class such as 2xx')
    if (after !== '' && toReceivedAt(after) === undefined)
      throw badParameter('after', 'must be the id of a request')
    if (sort !== undefined && !sortTerms.includes(sort))
      throw badParameter('sort', `must be ${sortTerms.join(' or ')}`)
    const parameters = new Map(Object.entries(texts).map(([name, value]) => [name, [value]]))
    const { page, per_page, wait } = Object.fromEntries(parameters)
    const limits = { min: 0, max: maxWaitSeconds }
    return {
      parameters,
      part: parsePart({ page, per_page }),
      isDescending: sort === newest,
      waitSeconds: parseCount({ wait }, 'wait', limits) ?? 0,
      isMatch: toMatch(texts),
    }
  })
}

/** For the page of a bin, which shows an invalid filter instead of an error page. */
export function parseFilters(request: FastifyRequest) {
  const query = isObject(request.query) ? request.query : {}
  const given = filterParameters.map(({ name }) => [name, query[name]] as const)
  const texts = given.filter(([, text]) => typeof text === 'string' && text !== '')
  const parameters = new Map(texts.map(([name, text]) => [name, [String(text)]]))
  try {
    const { isMatch } = parseRequestList(request)
    return { isMatch, parameters, searchProblem: undefined }
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    const isMatch = () => Promise.resolve(false)
    return { isMatch, parameters, searchProblem: error.message }
  }
}

function toText(name: string, value: unknown): string {
  if (typeof value === 'string') return value
  throw badParameter(name, 'must be given once')
}

export async function sendList(
  request: FastifyRequest,
  reply: FastifyReply,
  { requests, events, bin: { id } }: BinServices & { bin: Bin },
) {
  const type = chooseType(request, reply, ['application/json', 'application/x-ndjson'])
  const list = parseRequestList(request)
  const readPages = () => requests.pages(id, list.isDescending)
  if (list.waitSeconds > 0) await events.wait(reply, { bin: id, list, readPages })
  const found = findMatching(readPages(), list)
  const pages = list.part ? [await selectPart(reply, list, found)] : found
  const toChunks = type === 'application/json' ? toJsonArray : toJsonLines
  const chunks = toChunks(pages, requestToJson)
  return sendChunks(reply, type, chunks)
}

async function selectPart(reply: FastifyReply, { part, parameters }: RequestList, found: Pages) {
  const { offset = 0, limit = 0, page } = part ?? {}
  const selected: CapturedRequest[] = []
  let total = 0
  for await (const some of found) {
    const start = Math.max(0, offset - total)
    selected.push(...some.slice(start, start + limit - selected.length))
    total += some.length
  }
  reply.header('x-total-count', String(total))
  const path = toPath(reply.request.url)
  const toUrl = (number: number) => toHref({ path, parameters }, { page: String(number) })
  const hasNext = offset + selected.length < total
  if (page) {
    const links = toPageLinks({ ...page, total }, toUrl, hasNext ? toUrl : undefined)
    reply.header('link', toLinkField(links))
  }
  return selected
}
