import { formatNumber } from '../config/format-count.ts'
import { isNameOf } from '../config/is-name-of.ts'
import { maxSearchLength, maxSearches, maxTextLength, maxValues } from '../config/limits.ts'
import { hasScalarType } from '../http/openapi/json-schema.ts'
import { isDecimal } from '../http/request/parameters.ts'
import { isOfText, type FieldValue, type Filter, type Operator } from '../stores/records/records.ts'
import { isNumeric, type ListField, type ListFields } from './fields.ts'
import { badParameter, type ParameterTexts } from './parameters.ts'

export type ListFilter = ReturnType<typeof parseFilter>

export const operatorWords: Readonly<Record<Operator, string>> = {
  eq: 'is',
  ne: 'is not',
  lt: 'is below',
  lte: 'is at most',
  gt: 'is above',
  gte: 'is at least',
  contains: 'contains',
  startsWith: 'starts with',
  endsWith: 'ends with',
}

const dateWords: Readonly<Partial<Record<Operator, string>>> = {
  lt: 'is before',
  lte: 'is until',
  gt: 'is after',
  gte: 'is from',
}

export function toOperatorWords({ isDate }: Pick<ListField, 'isDate'>, operator: Operator): string {
  return (isDate ? dateWords[operator] : undefined) ?? operatorWords[operator]
}

/** Throws for an unknown name or value: ignoring it would change the meaning of the request. */
export function parseFilters(fields: ListFields, parameters: ParameterTexts, text = '') {
  const filters = Array.from(parameters, ([name, values]) => parseFilter(fields, name, values))
  assertCount(filters)
  assertSearches(filters, text)
  return filters
}

export function assertLength(name: string, text: string): string {
  if (text.length <= maxTextLength) return text
  throw badParameter(name, `must be at most ${formatNumber(maxTextLength)} characters long`)
}

function assertCount(filters: readonly ListFilter[]): void {
  const count = filters.reduce((sum, { filter }) => sum + filter.values.length, 0)
  if (count <= maxValues) return
  const name = filters.at(-1)?.parameter ?? ''
  throw badParameter(name, `exceeds the ${String(maxValues)} values of all filters`)
}

function assertSearches(filters: readonly ListFilter[], text: string): void {
  const searches = filters.filter(({ filter }) => isOfText(filter.operator))
  const texts = searches.flatMap(({ items }) => items)
  if (text !== '') texts.push(text)
  if (areSearchable(texts)) return
  throw badParameter(
    searches.at(-1)?.parameter ?? 'q',
    `exceeds the limit: q, contains, startsWith and endsWith have ${searchLimit}`,
  )
}

export const searchLimit = `at most ${String(maxSearches)} values, of ${String(maxSearchLength)} characters together`

export function areSearchable(texts: readonly string[]): boolean {
  return texts.length <= maxSearches && texts.join('').length <= maxSearchLength
}

/** The parameter is `name` or `name:operator`. A field whose name has a colon is found by its name first. */
function parseFilter(fields: ListFields, parameter: string, values: readonly string[]) {
  const exact = fields.find(parameter)
  const [, name = '', suffix = 'eq'] = exact ? [] : (/^(.*):(.*)$/s.exec(parameter) ?? [])
  const field = exact ?? fields.find(name)
  if (!field) {
    const known = `Fields: ${fields.names.join(', ')}. Other parameters: ${fields.others.join(', ')}`
    throw badParameter(parameter, `is an unknown field. ${known}`)
  }
  const operator = suffix === 'in' ? 'eq' : suffix
  if (!isNameOf(operatorWords, operator)) {
    const known = [...Object.keys(operatorWords), 'in'].join(', ')
    throw badParameter(parameter, `has an unknown operator. Operators: ${known}`)
  }
  const items = suffix === 'in' ? values.join().split(',') : values
  for (const item of items) assertLength(parameter, item)
  const operands = parseOperands(parameter, { field, operator, items })
  const filter: Filter = { field: field.path, operator, ...operands }
  return { parameter, field, items, filter }
}

/** Of true and false, the text is not searched. */
export const hasText = (types: readonly string[]) =>
  types.some((type) => type === 'string' || isNumeric([type]))

interface ParsedFilter {
  field: ListField
  operator: Operator
  items: readonly string[]
}

function parseOperands(name: string, { field, operator, items }: ParsedFilter) {
  const { types, elementTypes, isTime, isDate } = field
  const isList = operator === 'contains' && types.includes('array')
  if (isOfText(operator) && hasText(types)) {
    const elements = isList && { elements: items.flatMap((item) => toValues(elementTypes, item)) }
    return { values: items, ...elements }
  }
  if (isList && hasScalarType(elementTypes)) {
    const element = { ...field, types: elementTypes }
    return { values: [], elements: items.flatMap((item) => parseValue(name, element, item)) }
  }
  if (isOfText(operator)) throw badParameter(name, toTextHint(field))
  const isRange = isDate === true && operator !== 'eq' && operator !== 'ne'
  if (isRange) for (const item of items) assertDate(name, item)
  const parse = (item: string) => (isTime ? parseTime(name, item) : parseValue(name, field, item))
  return { values: items.flatMap(parse) }
}

function parseValue(name: string, field: ListField, text: string): FieldValue[] {
  const values = toValues(field.types, text)
  if (values.length > 0) return values
  throw badParameter(name, toHint(field))
}

/** Every value of the field that the text may stand for: `1` is text and a number where both fit. */
function toValues(types: readonly string[], text: string): FieldValue[] {
  const values: FieldValue[] = []
  if (isNumeric(types) && isDecimal(text) && Number.isFinite(Number(text)))
    values.push(Number(text))
  if (types.includes('boolean') && /^(true|false)$/.test(text)) values.push(text === 'true')
  // In a comparison, a list or an object is no value, as null is.
  const isScalar = hasScalarType(types) || types.every((type) => type === 'null')
  if (isScalar && types.includes('null') && text === 'null') values.push(null)
  if (types.includes('string')) values.push(text)
  return values
}

function toTextHint(field: ListField): string {
  if (!hasScalarType(field.types)) return toHint(field)
  return 'is true or false. Its operators are eq, ne and in'
}

/** The start of a date or a time is enough, because they are compared as text. */
function assertDate(name: string, text: string): void {
  const [, date = ''] = /^(\d{4}(?:-\d\d(?:-\d\d)?)?)(?:$|(?<=-\d\d-\d\d)[T ])/.exec(text) ?? []
  if (text === 'null' || !Number.isNaN(Date.parse(date))) return
  throw badParameter(name, 'must be a date or a time, such as 2026-11-21 or 2026-11-21T08:00:00Z')
}

function toHint({ types, elementTypes }: ListField): string {
  if (isNumeric(types)) return 'must be a number'
  if (types.includes('boolean')) return 'must be true or false'
  if (!types.includes('array')) return 'is an object. Filter by a member, as in address.city=Rome'
  return hasScalarType(elementTypes)
    ? 'is a list. Its only operator is contains, for an element, as in tags:contains=new'
    : 'is a list of objects or lists, which has no operators'
}

const timePattern = /^\d{4}(-\d\d(-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?)?)?$/

function parseTime(name: string, text: string): string {
  const time = timePattern.test(text) ? Date.parse(text) : NaN
  if (!Number.isNaN(time)) return new Date(time).toISOString()
  throw badParameter(name, 'must be a time like 2026-11-21 or 2026-11-21T08:00:00Z')
}
