import type { FastifyRequest } from 'fastify'
import { toLinkField, toPageLinks } from '../http/response/links.ts'
import { toOrigin } from '../http/request/request-head.ts'
import { createComparisons, createMatch } from '../lists/predicate.ts'
import type { Document } from '../stores/records/records.ts'
import { createPatternTest } from './patterns.ts'
import { findUnknown, toIndexed, type ListRequest, type Part, type Test } from './selection.ts'
import type { Context } from './context.ts'
import { assertSearches, createFindAt, isAtMost, isBelow, parseTerms, toText } from './values.ts'

/** JSONP, jQuery and the delay have these parameters. */
const ignored = ['callback', '_', '_delay']

/** A parameter of 0.17 that is the name of no field in any record is ignored. */
export async function parseList0(
  context: Context,
  request: FastifyRequest,
  parameters: Document,
): Promise<ListRequest> {
  const { q, _start, _end, _page, _limit, _sort, _order, _embed, _expand, ...rest } = parameters
  const given = Object.entries(rest).filter(([name]) => !ignored.includes(name))
  const names = given.map(([name]) => name).filter((name) => !operatorName.test(name))
  const unknown = await findUnknown(context, names)
  const known = given.filter(([name]) => !unknown.has(name))
  const patterns = known.filter(([name]) => name.endsWith('_like')).flatMap(([, value]) => value)
  assertSearches('q and _like', [toFirst(q), ...patterns.map(toText)].filter(Boolean))
  const tests = known.map(([name, value]) => toTest(name, [value].flat()))
  const searched = toFirst(q).toLowerCase()
  if (isGiven(q)) tests.push((documents) => documents.map((each) => contains(each, searched)))
  const [number, size] = [Math.max(1, toCount(_page)), toCount(_limit) || 10]
  return {
    tests,
    filters: toIndexed(context, Object.fromEntries(known)),
    sort: parseSort(toFirst(_sort), toFirst(_order)),
    embed: toNames(_embed),
    expand: toNames(_expand),
    toPart: isGiven(_page)
      ? toPage(toOrigin(request) + request.url, number, size)
      : toSlice({ _start, _end, _limit }),
  }
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== ''

function toFirst(value: unknown): string {
  const [first = ''] = [value].flat()
  return toText(first)
}

const toCount = (value: unknown): number => Number.parseInt(toFirst(value)) || 0

export function toNames(value: unknown): string[] {
  const names: unknown[] = [value].flat()
  const texts = names.filter((name) => typeof name === 'string').filter(Boolean)
  return [...new Set(texts)]
}

/** Negative numbers count from the end, as in `slice` of an array. */
function toSlice({ _start, _end, _limit }: Document) {
  if (!isGiven(_end) && !isGiven(_limit)) return undefined
  const start = toCount(_start)
  const end = isGiven(_end) ? toCount(_end) : start + toCount(_limit)
  return (total: number): Part => {
    const toIndex = (given: number) => (given < 0 ? Math.max(0, total + given) : given)
    const headers = { 'x-total-count': String(total) }
    return { range: [toIndex(start), toIndex(end)], headers }
  }
}

function toPage(url: string, number: number, size: number) {
  const toHref = (page: number) => url.replace(`page=${String(number)}`, `page=${String(page)}`)
  const [start, end] = [(number - 1) * size, number * size]
  return (total: number): Part => {
    const toNext = end < total ? toHref : undefined
    const isAll = start >= total || size >= total
    const link = isAll ? '' : toLinkField(toPageLinks({ number, size, total }, toHref, toNext))
    const headers = { 'x-total-count': String(total), ...(link && { link }) }
    return { range: [start, end], headers }
  }
}

/** `_sort=a,b&_order=desc,asc`, with the order of lodash's `orderBy`. */
function parseSort(sort: string, order: string): ListRequest['sort'] {
  const orders = order.toLowerCase().split(',')
  return parseTerms(sort).map((path, index) => ({
    find: createFindAt(path),
    compare: (one, other) => (orders[index] === 'desc' ? -1 : 1) * compare(one, other),
  }))
}

function compare(one: unknown, other: unknown): number {
  const isAfter = (left: unknown, right: unknown) =>
    left === undefined ||
    (left === null ? right !== undefined : right !== null && isBelow(right, left))
  return one === other ? 0 : isAfter(one, other) ? 1 : isAfter(other, one) ? -1 : 0
}

const isEqual = (value: unknown, wanted: unknown) => wanted === toText(value)
const comparisons = createComparisons({ isEqual, isBelow, isAtMost, findText: toText, toText })

const operatorName = /^(.*?)(_lte|_gte|_ne|_like)$/s

function toTest(name: string, operands: readonly unknown[]): Test {
  const [, path = name, operator = '_eq'] = operatorName.exec(name) ?? []
  // null and no value match no filter, not even `_ne`.
  const findAt = createFindAt(path)
  const find = (document: Document) => findAt(document) ?? undefined
  if (operator === '_like') {
    const test = createPatternTest(name, operands.map(toText))
    const findText = (value: unknown) => (value === undefined ? undefined : toText(value))
    return (documents) => test(documents.map((document) => findText(find(document))))
  }
  const isMatch = createMatch(comparisons, operator.slice(1), operands)
  return (documents) =>
    documents.map((document) => {
      const value = find(document)
      return value !== undefined && isMatch(value)
    })
}

function contains(value: unknown, text: string): boolean {
  if (typeof value === 'object' && value !== null) {
    return Object.values(value).some((member) => contains(member, text))
  }
  return text !== '' && Boolean(value) && String(value).toLowerCase().includes(text)
}
