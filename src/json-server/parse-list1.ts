import type { FastifyRequest } from 'fastify'
import { isObject } from '../config/is-object.ts'
import type { Config } from '../config/config.ts'
import { findJson } from '../config/find-json.ts'
import { assertDepth } from '../http/body/parse-json.ts'
import { toQueryText } from '../http/request/target.ts'
import { createComparisons, type Comparison } from '../lists/predicate.ts'
import { isOfText, type Document, type FieldValue } from '../stores/records/records.ts'
import { toNames } from './parse-list0.ts'
import { toIndexed, type ListRequest, type Part } from './selection.ts'
import type { Context } from './context.ts'
import {
  assertSearches,
  toFind,
  isAtMost,
  isBelow,
  parseTerms,
  toText,
  type Find,
} from './values.ts'

const reserved = ['_sort', '_page', '_per_page', '_embed', '_where']

export function parseList1(context: Context, { url }: FastifyRequest): ListRequest {
  const parameters = new URLSearchParams(toQueryText(url))
  const where = parseWhere(parameters, context.config)
  assertSearches('contains, startsWith and endsWith', findSearches(where))
  const embed = toNames(parameters.getAll('_embed'))
  const number = Number.parseInt(parameters.get('_page') ?? '')
  const size = Number.parseInt(parameters.get('_per_page') ?? '')
  const isTested = Object.keys(where).length > 0
  const match = matchWhere(where)
  // A related record is added before the filters are applied, and can replace a field.
  const isOwn = embed.length === 0 && !parameters.has('_where')
  return {
    tests: isTested ? [(documents) => documents.map(match)] : [],
    filters: isOwn ? toIndexed(context, Object.fromEntries(parameters)) : [],
    sort: parseSort(parameters.get('_sort') ?? ''),
    embed,
    expand: [],
    toPart: Number.isNaN(number)
      ? undefined
      : toPage(number, Number.isNaN(size) ? 10 : Math.max(1, size)),
  }
}

function toPage(number: number, size: number) {
  return (total: number): Part => {
    const pages = Math.max(1, Math.ceil(total / size))
    const current = Math.max(1, Math.min(number, pages))
    const prev = current > 1 ? current - 1 : null
    const next = current < pages ? current + 1 : null
    return {
      range: [(current - 1) * size, current * size],
      envelope: { first: 1, prev, next, last: pages, pages, items: total },
    }
  }
}

/** `_sort=-a,b`, with the order of sort-on: text by the rules of the locale, no value last. */
function parseSort(sort: string): ListRequest['sort'] {
  return parseTerms(sort).map((term) => {
    const sign = term.startsWith('-') ? -1 : 1
    const path = sign === 1 ? term : term.slice(1)
    return { find: toFind(path), compare: (one, other) => sign * compare(one, other) }
  })
}

function compare(one: unknown, other: unknown): number {
  if (one === other) return 0
  if (other !== 0 && !other) return -1
  if (one !== 0 && !one) return 1
  if (typeof one === 'string' && typeof other === 'string') return one.localeCompare(other)
  return isBelow(one, other) ? -1 : 1
}

type Where = Record<string, unknown>

const comparisons: Readonly<Record<string, Comparison>> = {
  ...createComparisons({
    isEqual: (value, operand) => value === operand,
    isBelow,
    isAtMost,
    findText: (value) => (typeof value === 'string' ? value : undefined),
    toText,
  }),
  in: (value, operand) => [operand].flat().includes(value),
}

/** `views:gte=10`, `author.name=x`, or `_where`, which is JSON and replaces them. */
function parseWhere(
  parameters: URLSearchParams,
  { maxJsonDepth }: Pick<Config, 'maxJsonDepth'>,
): Where {
  const json = parameters.get('_where')
  assertDepth(json ?? '', maxJsonDepth)
  const given = json ? findJson(json) : undefined
  if (isObject(given)) return given
  const where: Where = {}
  for (const [name, text] of parameters) if (!reserved.includes(name)) add(where, name, text)
  return where
}

/** Returns the texts of searches, also inside `or` and of fields with such a name. */
function findSearches(where: Where): string[] {
  const texts: string[] = []
  // A recursion could be thousands of calls deep: the name of a parameter can have as many parts.
  const inside: object[] = [where]
  for (const conditions of inside)
    for (const [name, condition] of Object.entries<unknown>({ ...conditions })) {
      if (isOfText(name)) texts.push(toText(condition))
      if (typeof condition === 'object' && condition !== null) inside.push(condition)
    }
  return texts
}

const unsafeNames = ['__proto__', 'prototype', 'constructor']

/** Adds `author.name:gte=5` as `{ author: { name: { gte: 5 } } }`. */
function add(where: Where, name: string, text: string): void {
  const { path, operator } = splitName(name)
  const names = path.split('.')
  if (operator === undefined || names.some((part) => unsafeNames.includes(part))) return
  let target = where
  for (const [index, part] of names.entries()) {
    const inside = Object.hasOwn(target, part) ? target[part] : undefined
    if (inside === false) return
    const next = isObject(inside) ? inside : {}
    // In json-server an index makes a list of conditions, which nothing matches.
    const isList = next !== inside && /^(0|[1-9]\d*)$/.test(names[index + 1] ?? '')
    target[part] = isList ? false : next
    if (isList) return
    target = next
  }
  const items = text.split(',').map((item) => toValue(item.trim()))
  target[operator] = operator === 'in' ? items : toValue(text)
}

function splitName(name: string) {
  const [, before = name, after] = /^(.*):([^:]*)$/s.exec(name) ?? []
  if (after === '') return { path: name, operator: 'eq' }
  // Another operator after a colon is ignored.
  if (after !== undefined) return { path: before, operator: findOperator(after) }
  const [, path = name, suffix = ''] = /^(.+)_([a-z]+)$/.exec(name) ?? []
  const operator = findOperator(suffix)
  return operator ? { path, operator } : { path: name, operator: 'eq' }
}

function findOperator(name: string): string | undefined {
  return Object.hasOwn(comparisons, name) ? name : undefined
}

function toValue(text: string): FieldValue {
  if (text === 'true' || text === 'false') return text === 'true'
  if (text === 'null') return null
  const number = text.trim() === '' ? NaN : Number(text)
  return Number.isFinite(number) ? number : text
}

type Match = (document: Document) => boolean

function matchWhere(where: Where): Match {
  const matches = Object.entries(where).map(([name, condition]) => toMatch(name, condition))
  return (document) => matches.every((match) => match(document))
}

function toMatch(name: string, condition: unknown): Match {
  if (name === 'or') {
    const choices = (Array.isArray(condition) ? condition : []).filter(isObject).map(matchWhere)
    return (document) => choices.some((match) => match(document))
  }
  if (!isObject(condition)) return () => false
  const find = (document: Document) => (Object.hasOwn(document, name) ? document[name] : undefined)
  const operators = Object.entries(comparisons).filter(([operator]) =>
    Object.hasOwn(condition, operator),
  )
  if (operators.length === 0) return toInnerMatch(find, condition)
  const tests = operators.map(([operator, compare]) => [compare, condition[operator]] as const)
  return (document) => {
    const value = find(document)
    return value !== undefined && tests.every(([compare, operand]) => compare(value, operand))
  }
}

/** Made for a document that is as deep: the name of a parameter can have thousands of parts. */
function toInnerMatch(find: Find, condition: Where): Match {
  let match: Match | undefined
  return (document) => {
    const value = find(document)
    return !isObject(value) || (match ??= matchWhere(condition))(value)
  }
}
