import { isObject } from '../http/request/parameters.ts'
import {
  isFieldValue,
  type Document,
  type FieldValue,
  type Filter,
} from '../stores/records/records.ts'
import { toEqualFilter, type Conditions } from './conditions.ts'
import { isAtMost, isBelow, toText } from './values.ts'

type Where = Record<string, unknown>
type Comparison = (value: unknown, operand: unknown) => boolean

const comparisons: Readonly<Record<string, Comparison>> = {
  lt: isBelow,
  lte: isAtMost,
  gt: (value, operand) => isBelow(operand, value),
  gte: (value, operand) => isAtMost(operand, value),
  eq: (value, operand) => value === operand,
  ne: (value, operand) => value !== operand,
  in: (value, operand) => [operand].flat().includes(value),
  contains: compareText('includes'),
  startsWith: compareText('startsWith'),
  endsWith: compareText('endsWith'),
}

function compareText(method: 'includes' | 'startsWith' | 'endsWith'): Comparison {
  return (value, operand) =>
    typeof value === 'string' && value.toLowerCase()[method](toText(operand).toLowerCase())
}

/** The filters of 1: `views:gte=10`, `author.name=x`, or `_where`, which is JSON and replaces them. */
export function parseWhere(parameters: URLSearchParams, reserved: readonly string[]): Conditions {
  const given = parseObject(parameters.get('_where') ?? '')
  const where = given ?? {}
  if (!given) {
    for (const [name, text] of parameters) if (!reserved.includes(name)) add(where, name, text)
  }
  const entries = Object.entries(where)
  if (entries.length === 0) return { filters: [] }
  return {
    filters: entries.flatMap(([name, condition]) => toFilters(name, condition)),
    test: (documents) => documents.map((document) => matches(document, where)),
  }
}

function parseObject(text: string): Where | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
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

function splitName(name: string): { path: string; operator?: string | undefined } {
  const [, before = '', after] = /^(.*):([^:]*)$/s.exec(name) ?? []
  if (after === '') return { path: name, operator: 'eq' }
  if (after !== undefined) {
    return { path: before, operator: Object.hasOwn(comparisons, after) ? after : undefined }
  }
  const [, path = '', operator = ''] = /^(.+)_([a-z]+)$/.exec(name) ?? []
  return Object.hasOwn(comparisons, operator) ? { path, operator } : { path: name, operator: 'eq' }
}

function toValue(text: string): FieldValue {
  if (text === 'true' || text === 'false') return text === 'true'
  if (text === 'null') return null
  const number = text.trim() === '' ? NaN : Number(text)
  return Number.isFinite(number) ? number : text
}

function matches(document: Document, where: Where): boolean {
  return Object.entries(where).every(([name, condition]) => {
    if (name === 'or') {
      const choices = Array.isArray(condition) ? condition : []
      return choices.some((choice) => isObject(choice) && matches(document, choice))
    }
    if (!isObject(condition)) return false
    const value = Object.hasOwn(document, name) ? document[name] : undefined
    const operators = Object.entries(comparisons).filter(([operator]) =>
      Object.hasOwn(condition, operator),
    )
    if (operators.length === 0) return !isObject(value) || matches(value, condition)
    return (
      value !== undefined &&
      operators.every(([operator, compare]) => compare(value, condition[operator]))
    )
  })
}

function toFilters(name: string, condition: unknown): Filter[] {
  if (name === 'or' || !isObject(condition)) return []
  const { eq, in: items } = condition
  const values = 'eq' in condition ? [eq] : Array.isArray(items) ? items : [undefined]
  const filter = values.every(isFieldValue) && toEqualFilter(name, values)
  return filter ? [filter] : []
}
