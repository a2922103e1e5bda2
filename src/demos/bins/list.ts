import type { FastifyReply, FastifyRequest } from 'fastify'
import { formatMebibytes } from '../../config/format-count.ts'
import { isObject } from '../../config/is-object.ts'
import { maxLoadLength, maxPerPage, maxSearchLength, maxWaitSeconds } from '../../config/limits.ts'
import { badRequest, HttpError } from '../../http/errors/http-error.ts'
import { chooseType } from '../../http/negotiation/negotiate.ts'
import { orEmpty, queryParameter, text } from '../../http/openapi/content.ts'
import { toPath } from '../../http/request/target.ts'
import { toLinkField, toPageLinks } from '../../http/response/links.ts'
import { sendChunks, toJsonArray, toJsonLines } from '../../http/response/send.ts'
import { propertiesToListFields } from '../../lists/fields.ts'
import { parseFilters } from '../../lists/filters.ts'
import { badParameter, toHref, parseTexts, withParameterErrors } from '../../lists/parameters.ts'
import { maxPage, parseCount, parsePart, type ListPart } from '../../lists/part.ts'
import { toCompares, toScalar } from '../../lists/predicate.ts'
import { sortFound, type FoundRecord } from '../../lists/select.ts'
import { parseSort } from '../../lists/sort.ts'
import { statusPattern, parseStatusFilters } from '../../lists/status.ts'
import { findAt, type Filter, type SortTerm } from '../../stores/records/records.ts'
import type { Bin } from './bin-store.ts'
import { requestIdToTime } from './bin-ids.ts'
import { listedSchemas, requestToJson, type CapturedRequest } from './captured-request.ts'
import type { BinServices } from './of-bin.ts'
import { findMatching, toListed, toMatch, type RequestPages, type RequestSearch } from './search.ts'

const newest = '-receivedAt'

const whole = (minimum: number, maximum: number) => ({ type: 'integer', minimum, maximum })

const status = { ...text, pattern: statusPattern }

export const requestFilters = [
  queryParameter('method', ['Only requests with this method.', 'POST']),
  queryParameter('path', ['Only requests with this text in the path or the query.', '/a']),
  orEmpty(queryParameter('status', ['Only those with this status, or a class.', '2xx', status])),
  queryParameter('contains', ['Only requests with this text anywhere, in any case.', 'a']),
  queryParameter('q', ['The same as `contains`, as in other lists.', 'a']),
  queryParameter('after', ['Only requests after the one with this id.', '']),
]

const fields = propertiesToListFields(listedSchemas, [
  ...requestFilters.map(({ name }) => name),
  ...['sort', 'wait', 'page', 'per_page'],
])
const sortTerms = fields.names.flatMap((name) => [name, `-${name}`])

export const listedParameters = [
  ...requestFilters,
  queryParameter('sort', ['The newest first with `-receivedAt`.', newest, { enum: sortTerms }]),
  queryParameter('wait', ['Seconds to wait if no request fits.', 1, whole(0, maxWaitSeconds)]),
  queryParameter('page', ['The number of the page.', 1, whole(1, maxPage)]),
  orEmpty(queryParameter('per_page', ['The requests on a page.', 20, whole(1, maxPerPage)])),
]

export type RequestList = ReturnType<typeof parseRequestList>

/** Throws 400 for other values, and for parameters that are neither `known` nor `others` nor filters. */
export function parseRequestList(
  request: FastifyRequest,
  others: readonly string[] = [],
  known = listedParameters,
) {
  const query = Object.entries(isObject(request.query) ? request.query : {})
  const own = query.filter(([name]) => !['secret', ...others].includes(name))
  return withParameterErrors(request, () => {
    const parameters = new Map(own.map(([name, value]) => [name, parseTexts(name, value)]))
    const isKnown = ([name]: readonly [string, unknown]) => known.some((one) => one.name === name)
    const single = [...parameters].filter(isKnown)
    const texts = Object.fromEntries(single.map(([name, all]) => [name, assertOne(name, all)]))
    const filters = [...parameters].filter((one) => !isKnown(one))
    const { page, per_page, wait } = Object.fromEntries(parameters)
    const limits = { min: 0, max: maxWaitSeconds }
    const { path, q, contains = q, sort = '' } = texts
    return {
      parameters,
      part: parsePart({ page, per_page }),
      sort: parseSort(fields, [sort]),
      waitSeconds: parseCount({ wait }, 'wait', limits) ?? 0,
      isMatch: toMatch({
        filters: [
          ...parseOwnNames(texts),
          ...parseFilters(fields, new Map(filters)).map(({ filter }) => filter),
        ],
        path,
        contains,
      }),
    }
  })
}

function assertOne(name: string, values: readonly string[]): string {
  const [text = '', ...others] = values
  if (others.length > 0) throw badParameter(name, 'must be given once')
  if (text.length <= maxSearchLength) return text
  throw badParameter(name, `must have at most ${String(maxSearchLength)} characters`)
}

/** `after`, `method` and `status` have values that are not compared with a field as they are. */
function parseOwnNames({ after = '', method = '', status = '' }: Partial<Record<string, string>>) {
  const filters: Filter[] = parseStatusFilters(status)
  if (method !== '')
    filters.push({ field: 'method', operator: 'eq', values: [method.toUpperCase()] })
  if (after === '') return filters
  if (requestIdToTime(after) === undefined)
    throw badParameter('after', 'must be the id of a request')
  return [...filters, { field: 'id', operator: 'gt', values: [after] } as const]
}

const notFilters = ['secret', 'sort', 'wait', 'page', 'per_page']

/** The page of a bin shows an invalid filter instead of an error page. */
export function parsePageList(request: FastifyRequest) {
  const query = isObject(request.query) ? request.query : {}
  const given = Object.entries(query).flatMap(([name, value]) => {
    const values: unknown[] = [value].flat()
    const texts = values.filter((text) => typeof text === 'string').filter(Boolean)
    return texts.length === 0 ? [] : [[name, texts] as const]
  })
  const parameters = new Map(given.filter(([name]) => !notFilters.includes(name)))
  try {
    const { isMatch, sort, part } = parseRequestList(request)
    const order = sort.length === 0 ? parseSort(fields, [newest]) : sort
    const isLive = part === undefined && (sort.length === 0 || query.sort === newest)
    return { list: { isMatch, sort: order, part }, isLive, parameters, searchProblem: undefined }
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    const list = { isMatch: () => Promise.resolve(false), sort: [], part: undefined }
    return { list, isLive: false, parameters, searchProblem: error.message }
  }
}

export async function* selectRequests(
  { requests, bin: { id } }: BinServices & { bin: Bin },
  { sort, isMatch }: RequestSearch & { sort: readonly SortTerm[] },
): AsyncGenerator<CapturedRequest[]> {
  const [first = { field: ['receivedAt'], isDescending: false }] = sort
  const pages = findMatching(requests.pages(id, first.isDescending), { isMatch })
  if ([first.field].flat().join('.') === 'receivedAt') return yield* pages
  const found: FoundRecord[] = []
  let length = 0
  for await (const page of pages)
    for (const one of page) {
      const listed = toListed(one)
      const keys = sort.map(({ field }) => toScalar(findAt(listed, field)))
      length += JSON.stringify(keys).length
      if (length > maxLoadLength)
        throw badRequest(
          `The values of sort are larger than ${formatMebibytes(maxLoadLength)}. Filter the requests.`,
        )
      found.push({ id: one.id, keys })
    }
  const sorted = sortFound(found, toCompares(sort))
  yield* requests.pagesOf(
    id,
    sorted.map((one) => one.id),
  )
}

export async function sendList(
  request: FastifyRequest,
  reply: FastifyReply,
  services: BinServices & { bin: Bin },
) {
  const type = chooseType(request, reply, ['application/json', 'application/x-ndjson'])
  const list = parseRequestList(request)
  const { requests, events, bin } = services
  if (list.waitSeconds > 0)
    await events.wait(reply, { bin: bin.id, list, readPages: () => requests.pages(bin.id) })
  const toChunks = type === 'application/json' ? toJsonArray : toJsonLines
  return sendChunks(reply, type, toChunks(await readPages(reply, services, list), requestToJson))
}

export async function readPages(
  reply: FastifyReply,
  services: BinServices & { bin: Bin },
  list: RequestList,
): Promise<AsyncIterable<CapturedRequest[]> | readonly CapturedRequest[][]> {
  const found = selectRequests(services, list)
  const { part, parameters } = list
  if (part === undefined) return found
  const { selected, total } = await takePart(found, part)
  reply.header('x-total-count', String(total))
  const path = toPath(reply.request.url)
  const toUrl = (number: number) => toHref({ path, parameters }, { page: String(number) })
  const hasNext = part.offset + selected.length < total
  if (part.page) {
    const links = toPageLinks({ ...part.page, total }, toUrl, hasNext ? toUrl : undefined)
    reply.header('link', toLinkField(links))
  }
  return [selected]
}

export async function takePart(
  found: RequestPages,
  { offset, limit }: Pick<ListPart, 'offset' | 'limit'>,
  isEnough = false,
) {
  const selected: CapturedRequest[] = []
  let total = 0
  for await (const some of found) {
    const start = Math.max(0, offset - total)
    selected.push(...some.slice(start, start + limit - selected.length))
    total += some.length
    if (isEnough && selected.length === limit) break
  }
  return { selected, total }
}
