import type { FastifyRequest } from 'fastify'
import { toOrigin } from '../http/request/request-head.ts'
import type { ResourceContext } from '../resources/context.ts'
import type { Document } from '../stores/records/records.ts'
import type { Conditions } from './conditions.ts'
import { hasOperator, parseFilters } from './filters.ts'
import type { Embedded } from './relations.ts'
import { findUnknown } from './selection.ts'
import { parseSignedSort, parseSortAndOrder, type Sort } from './sort.ts'
import { toText } from './values.ts'
import { parseWhere } from './where.ts'

type Range = readonly [from: number, to: number]

export interface ListRequest extends Embedded {
  conditions: Conditions
  sort: Sort
  toRange?: ((total: number) => Range) | undefined
  toHeaders?: (total: number) => Readonly<Record<string, string>>
  /** The members around the list, without the list. */
  toEnvelope?: ((total: number) => object) | undefined
}

/** Of JSONP, of jQuery, and of the delay. */
const ignored = ['callback', '_', '_delay']

/** Of 0.17. A parameter that is the name of no field in any record is ignored. */
export async function parseList0(
  context: ResourceContext,
  request: FastifyRequest,
  parameters: Document,
): Promise<ListRequest> {
  const { q, _start, _end, _page, _limit, _sort, _order, _embed, _expand, ...rest } = parameters
  const given = Object.entries(rest).filter(([name]) => !ignored.includes(name))
  const names = given.map(([name]) => name)
  const unknown = await findUnknown(
    context,
    names.filter((name) => !hasOperator(name)),
  )
  const filters = given.filter(([name]) => !unknown.has(name))
  const sort = toFirst(_sort)
  const size = Number.parseInt(toFirst(_limit)) || 0
  const request0 = {
    conditions: parseFilters(Object.fromEntries(filters), q),
    sort: sort === '' ? [] : parseSortAndOrder(sort, toFirst(_order)),
    embed: toNames(_embed),
    expand: toNames(_expand),
  }
  if (isGiven(_page)) {
    const number = Math.max(1, Number.parseInt(toFirst(_page)) || 1)
    const page = { number, size: size || 10, url: toOrigin(request) + request.url }
    return {
      ...request0,
      toRange: (total) => toSlice(total, (number - 1) * page.size, number * page.size),
      toHeaders: (total) => ({ ...toCount(total), ...toLink(page, total) }),
    }
  }
  if (!isGiven(_end) && !isGiven(_limit)) return request0
  const start = Number.parseInt(toFirst(_start)) || 0
  const stop = isGiven(_end) ? Number.parseInt(toFirst(_end)) || 0 : start + size
  return { ...request0, toRange: (total) => toSlice(total, start, stop), toHeaders: toCount }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== ''
}

function toFirst(value: unknown): string {
  const [first = ''] = [value].flat()
  return toText(first)
}

export function toNames(value: unknown): string[] {
  const names: unknown[] = [value].flat()
  const texts = names.filter((name) => typeof name === 'string').filter(Boolean)
  return [...new Set(texts)]
}

/** As `slice` of an array with so many items. */
function toSlice(total: number, start: number, end: number): Range {
  const toIndex = (given: number) =>
    given < 0 ? Math.max(0, total + given) : Math.min(given, total)
  return [toIndex(start), toIndex(end)]
}

function toCount(total: number) {
  return { 'x-total-count': String(total) }
}

interface Page {
  number: number
  size: number
  url: string
}

function toLink({ number, size, url }: Page, total: number): { link?: string } {
  const [from, to] = toSlice(total, (number - 1) * size, number * size)
  const count = Math.max(0, to - from)
  if (count === 0 || count === total) return {}
  const pages = {
    first: 1,
    ...(number > 1 && { prev: number - 1 }),
    ...(number * size < total && { next: number + 1 }),
    last: Math.ceil(total / size),
  }
  const links = Object.entries(pages).map(([rel, page]) => {
    return `<${url.replace(`page=${String(number)}`, `page=${String(page)}`)}>; rel="${rel}"`
  })
  return { link: links.join(', ') }
}

const reserved = ['_sort', '_page', '_per_page', '_embed', '_where']

/** Of 1. */
export function parseList1(request: FastifyRequest): ListRequest {
  const parameters = new URLSearchParams(request.url.split(/\?(.*)/s)[1])
  const sort = parameters.get('_sort') ?? ''
  const embed = toNames(parameters.getAll('_embed'))
  const { filters, ...conditions } = parseWhere(parameters, reserved)
  const [number, size = 10] = ['_page', '_per_page'].map((name) => {
    const count = Number.parseInt(parameters.get(name) ?? '')
    return Number.isNaN(count) ? undefined : count
  })
  const toPage = (total: number) => toClampedPage(total, number ?? 1, Math.max(1, size))
  return {
    // A related record is added before the filters are applied, and can replace a field.
    conditions: {
      ...conditions,
      filters: filters.filter(({ field }) => !embed.includes([field].flat()[0] ?? '')),
    },
    sort: sort === '' ? [] : parseSignedSort(sort),
    embed,
    expand: [],
    ...(number !== undefined && {
      toRange: (total) => toPage(total).range,
      toEnvelope: (total) => toPage(total).envelope,
    }),
  }
}

function toClampedPage(total: number, number: number, size: number) {
  const pages = Math.max(1, Math.ceil(total / size))
  const current = Math.max(1, Math.min(number, pages))
  const prev = current > 1 ? current - 1 : null
  const next = current < pages ? current + 1 : null
  const from = (current - 1) * size
  return {
    range: [from, Math.min(from + size, total)] as const,
    envelope: { first: 1, prev, next, last: pages, pages, items: total },
  }
}
