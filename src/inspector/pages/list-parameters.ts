import type { FastifyRequest } from 'fastify'
import { formatNumber } from '../../config/format-count.ts'
import { isObject } from '../../config/is-object.ts'
import { maxExchanges, maxSearchLength, rowsWithoutPage } from '../../config/limits.ts'
import { badRequest } from '../../http/errors/http-error.ts'
import { parseFilters } from '../../lists/filters.ts'
import { badParameter, toHref, parseTexts, withParameterErrors } from '../../lists/parameters.ts'
import { parsePart } from '../../lists/part.ts'
import { parseSort } from '../../lists/sort.ts'
import { parseStatusFilters, statusPattern } from '../../lists/status.ts'
import { listFields } from '../documentation.ts'
import { isCursor, type ExchangeFilter } from '../recorder/filter.ts'
import { toRandomId } from '../recorder/recorded.ts'

export function findText(query: unknown, name: string): string | undefined {
  const value = isObject(query) ? (query[name] ?? '') : ''
  if (typeof value !== 'string') throw badRequest(`The parameter ${name} must be one text.`)
  return value === '' ? undefined : value
}

function isSet(query: unknown, name: string): boolean {
  const value = findText(query, name)
  if (value === undefined || value === '1') return value === '1'
  throw badRequest(`The parameter ${name} must be 1, or be left out.`)
}

export function parseExchangeFilter(request: FastifyRequest): ExchangeFilter {
  const { query } = request
  const path = findText(query, 'path')
  if (path !== undefined && path.length > maxSearchLength) {
    throw badRequest(`The parameter path must have at most ${String(maxSearchLength)} characters.`)
  }
  const status = findText(query, 'status')?.toLowerCase() ?? ''
  if (status !== '' && !new RegExp(statusPattern).test(status))
    throw badRequest('The parameter status must be a status code or a class such as 4xx.')
  const filters = withParameterErrors(request, () => [
    ...parseStatusFilters(status),
    ...parseFilters(listFields, findFilters(query)).map(({ filter }) => filter),
  ])
  return {
    filters,
    method: findText(query, 'method')?.toUpperCase(),
    path,
    isOwn: isSet(query, 'mine'),
    isError: isSet(query, 'errors'),
    lacksAssets: !isSet(query, 'assets'),
  }
}

const ownNames = ['method', 'status', 'path', 'mine', 'errors', 'assets']

function findFilters(query: unknown): Map<string, readonly string[]> {
  const given = Object.entries(isObject(query) ? query : {}).filter(
    ([name, value]) =>
      value !== '' &&
      !ownNames.includes(name) &&
      (name.includes(':') || listFields.find(name) !== undefined),
  )
  return new Map(given.map(([name, value]) => [name, parseTexts(name, value)]))
}

export function parseOrder(request: FastifyRequest) {
  const { query } = request
  return withParameterErrors(request, () => {
    const toList = (name: string) => {
      const text = findText(query, name)
      return text === undefined ? undefined : [text]
    }
    const part = parsePart({ page: toList('page'), per_page: toList('per_page') })
    const { offset, limit } = part ?? { offset: 0, limit: rowsWithoutPage }
    if (offset + limit > maxExchanges)
      throw badParameter(
        'page',
        `must end within the first ${formatNumber(maxExchanges)} exchanges`,
      )
    const before = findText(query, 'before')
    if (before !== undefined && !isCursor(before))
      throw badParameter('before', 'must be the `next` of a list')
    return { sort: parseSort(listFields, toList('sort') ?? []), offset, limit, part, before }
  })
}

export function findParameters({ query }: FastifyRequest): Map<string, readonly string[]> {
  const parameters = findFilters(query)
  for (const name of [...ownNames, 'client', 'sort', 'per_page']) {
    const value = findText(query, name)
    if (value !== undefined) parameters.set(name, [value])
  }
  return parameters
}

export function toQuery(
  request: FastifyRequest,
  more: Readonly<Record<string, string>> = {},
): string {
  return toHref({ path: '', parameters: findParameters(request) }, more)
}

export function parseRequestId({ query }: FastifyRequest): string | undefined {
  const given = isObject(query) ? query.request_id : undefined
  const id = toRandomId(given)
  if (given === undefined || id !== undefined) return id
  throw badRequest('The parameter request_id must be a random UUID (version 4).')
}
