import { isNameOf } from '../config/is-name-of.ts'
import { isObject } from '../config/is-object.ts'
import { maxConditions, maxTextLength, maxValues } from '../config/limits.ts'
import type { FieldProblem } from '../http/errors/http-error.ts'
import { isDecimal } from '../http/request/parameters.ts'
import { areSearchable, operatorWords, searchLimit } from '../lists/filters.ts'
import { compareValues, createComparisons, createMatch, toScalar } from '../lists/predicate.ts'
import { isFieldValue, isOfText } from '../stores/records/records.ts'
import { findValue, type RequestValues } from './request-values.ts'

export interface Condition {
  /** As written, with its operator. */
  name: string
  expected: unknown
  parts: readonly string[]
  isMet: (value: unknown) => boolean
}

export interface Difference {
  name: string
  expected: unknown
  actual: unknown
}

const ofBody = ['json', 'form', 'body']
const whole = ['method', 'path', 'json', 'body']
const withMembers = ['path', 'query', 'header', 'cookie', 'json', 'form']
const operators = [...Object.keys(operatorWords), 'in', 'exists']
const forms = 'method, path, path.X, path[0], query.X, header.X, cookie.X, json.X, form.X and body'
const maxNameLength = 500

export const needsBody = (conditions: readonly Condition[]) =>
  conditions.some(({ parts: [name = ''] }) => ofBody.includes(name))

/** Values of a request are text: a text that is a number equals that number, and its order is that of numbers. */
const comparisons = createComparisons({
  isEqual: (one, other) => {
    const [value, operand] = [toScalar(one), toScalar(other)]
    if (typeof value === typeof operand) return value === operand
    if (value === null || operand === null) return false
    const isNumber = [value, operand].some((side) => typeof side === 'number')
    if (!isNumber) return String(value) === String(operand)
    return isNumeric(value) && isNumeric(operand) && Number(value) === Number(operand)
  },
  isBelow: (value, operand) => compare(value, operand) < 0,
  isAtMost: (value, operand) => compare(value, operand) <= 0,
  findText: (value) => (isFieldValue(value) && value !== null ? String(value) : undefined),
  toText: String,
})

const isNumeric = (value: unknown) =>
  typeof value === 'number' || (typeof value === 'string' && isDecimal(value))

/** NaN if the two have no order. */
function compare(value: unknown, operand: unknown): number {
  if (isNumeric(value) && isNumeric(operand)) return Number(value) - Number(operand)
  const areTexts = typeof value === 'string' && typeof operand === 'string'
  return areTexts ? compareValues(value, operand) : NaN
}

/** The conditions of `when`, and what is wrong with it. */
export function parseConditions(when: unknown): {
  conditions: Condition[]
  problems: FieldProblem[]
} {
  const problems: FieldProblem[] = []
  const fail = (message: string, inside: string[] = []) => {
    problems.push({ field: 'when', inside, message })
    return []
  }
  if (!isObject(when))
    return { conditions: fail('must be an object like {"query.page": 2}'), problems }
  const entries = Object.entries(when)
  if (entries.length > maxConditions)
    return { conditions: fail(`has more than ${String(maxConditions)} conditions`), problems }
  const searched = entries.flatMap(([name, given]) =>
    isOfText(toOperator(name).operator) ? [given].flat().map(String) : [],
  )
  if (!areSearchable(searched))
    fail(`exceeds the limit: contains, startsWith and endsWith have ${searchLimit}`)
  const conditions = entries.flatMap(([name, given]) => {
    const parsed = parseCondition(name, given)
    return typeof parsed === 'string' ? fail(parsed, [name.slice(0, 100)]) : [parsed]
  })
  return { conditions, problems }
}

function toOperator(text: string) {
  const [, name = text, operator = 'eq'] = /^(.*):([^:]*)$/s.exec(text) ?? []
  return { name, operator }
}

function parseCondition(text: string, given: unknown): Condition | string {
  const { name, operator } = toOperator(text)
  if (!operators.includes(operator))
    return `has an unknown operator. Operators: ${operators.join(', ')}`
  const parts = name.replace(/^path\[(\d{1,4})\]$/, 'path.$1').split('.')
  const [first = '', ...members] = parts
  const isKnown = members.length === 0 ? whole.includes(first) : withMembers.includes(first)
  if (!isKnown || name.length > maxNameLength || (members.length > 0 && members.join('') === ''))
    return `is an unknown name. Names: ${forms}`
  const operands = [given].flat()
  const condition = { name: text, expected: given, parts }
  if (operator === 'exists') {
    const expected = String(given)
    if (!/^(true|false)$/.test(expected)) return 'must be true or false'
    return { ...condition, isMet: (value) => String(value !== undefined) === expected }
  }
  if (operands.length === 0) return 'must have a value'
  if (operands.length > maxValues) return `must have at most ${String(maxValues)} values`
  if (operands.some((operand) => toScalar(operand) !== operand))
    return 'must be text, a number, true, false, null, or a list of them'
  if (operands.some((operand) => String(operand).length > maxTextLength))
    return `must be at most ${String(maxTextLength)} characters long`
  return { ...condition, isMet: toTest(operator, operands) }
}

/** A list fulfils a condition if one of its elements does, and `ne` if all do. */
function toTest(operator: string, given: readonly unknown[]) {
  const isIn = operator === 'in'
  const split = (operand: unknown) => (typeof operand === 'string' ? operand.split(',') : [operand])
  const operands = isIn ? given.flatMap(split) : given
  const used = isIn ? 'eq' : operator
  const isMatch = createMatch(comparisons, used, operands)
  // In lists, an element is compared as a whole too.
  const ofElement = used === 'contains' ? createMatch(comparisons, 'eq', operands) : isMatch
  const test = (element: unknown) => ofElement(toScalar(element))
  return (value: unknown): boolean => {
    if (!Array.isArray(value)) return isMatch(toScalar(value))
    return used === 'ne' ? value.every(test) : value.some(test)
  }
}

export function findDifferences(conditions: readonly Condition[], values: RequestValues) {
  return conditions.flatMap(({ name, expected, parts, isMet }): Difference[] => {
    const actual = findValue(values, parts)
    return isMet(actual) ? [] : [{ name, expected, actual: toShown(actual) }]
  })
}

const maxShownLength = 100

function toShown(actual: unknown): unknown {
  if (actual === undefined) return null
  const text = typeof actual === 'string' ? actual : JSON.stringify(actual)
  return text.length <= maxShownLength ? actual : `${text.slice(0, maxShownLength)}…`
}

/** `json.type is "a" (the request has "b")` */
export function explainDifference({ name, expected, actual }: Difference): string {
  const { name: field, operator } = toOperator(name)
  const words = isNameOf(operatorWords, operator) ? operatorWords[operator] : operator
  const exists = String(expected) === 'true' ? 'exists' : 'does not exist'
  const wanted = operator === 'exists' ? exists : `${words} ${JSON.stringify(expected)}`
  return `${field} ${wanted} (the request has ${actual === null ? 'none' : JSON.stringify(actual)})`
}
