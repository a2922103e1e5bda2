import { isDecimal, maxSearchLength } from '../../http/request/parameters.ts'
import { isOfText } from '../../stores/records/records.ts'
import type { FieldValue, Filter, Operator, RecordQuery } from '../../stores/records/records.ts'
import { type Resource } from '../definition.ts'
import { hasScalars, toTypes, type FieldSchema } from '../field-schema.ts'
import { resolveAliases } from './list-aliases.ts'
import { parseCursor } from './list-cursor.ts'
import { findListField, type ListField } from './list-fields.ts'
import { badParameter, maxValues, type ParameterTexts } from './list-parameters.ts'
import { parsePart } from './list-part.ts'

export type ListQuery = ReturnType<typeof parseListQuery>
type ListFilter = ReturnType<typeof parseFilter>

export const partNames = ['page', 'per_page', 'after', '_start', '_end']

/** Throws for an unknown name or value: ignoring it would change the meaning of the request. */
export function parseListQuery(resource: Resource, given: ParameterTexts) {
  const parameters = resolveAliases(given, resource)
  const { sort = [], q = [], fields, ...rest } = Object.fromEntries(parameters)
  const page = parsePart(rest)
  const text = assertLength('q', q.at(-1) ?? '')
  const filters = Object.entries(rest)
    .filter(([name]) => !partNames.includes(name))
    .map(([name, values]) => parseFilter(resource, name, values))
  assertCount(filters)
  assertSearches(filters, text)
  const searched = [...resource.visible.slice(0, 1), ...resource.readable].map(({ path }) => path)
  const records: RecordQuery = {
    filters: filters.map(({ filter }) => filter),
    ...(text !== '' && { search: { text, fields: searched } }),
    sort: parseSort(resource, sort),
  }
  const after = rest.after && parseCursor(resource, records, rest.after)
  const part = page && { ...page, after }
  return { records, parameters, filters, part, fields: fields && parseFields(resource, fields) }
}

/** Longer than any stored text: every value is compared with every record. */
const maxTextLength = 2000

function assertLength(name: string, text: string): string {
  if (text.length <= maxTextLength) return text
  throw badParameter(name, `must be at most ${String(maxTextLength)} characters long`)
}

function assertCount(filters: readonly ListFilter[]): void {
  const count = filters.reduce((sum, { filter }) => sum + filter.values.length, 0)
  if (count <= maxValues) return
  const name = filters.at(-1)?.parameter ?? ''
  throw badParameter(name, `exceeds the ${String(maxValues)} values of all filters`)
}

const maxSearches = 10

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

export const maxSortTerms = 10

function parseSort(resource: Resource, sort: readonly string[]) {
  if (sort.join('') === '') return []
  const isTerm = (value: string) => findListField(resource, value.replace(/^-/, '')) !== undefined
  const terms = toItems(sort, isTerm)
  if (terms.length > maxSortTerms) {
    throw badParameter('sort', `must have at most ${String(maxSortTerms)} fields`)
  }
  return terms.map((term) => {
    const exact = findListField(resource, term)
    const name = term.replace(/^-/, '')
    const found = exact ?? findListField(resource, name)
    if (found) return { field: found.path, isDescending: exact === undefined }
    throw badParameter('sort', `has the unknown field ${name}. ${listFields(resource)}`)
  })
}

export function parseFields(resource: Resource, values: readonly string[]): string[] {
  const visible = resource.visible.map(({ name }) => name)
  const fields = toItems(values, (value) => visible.includes(value))
  const unknown = fields.find((field) => !visible.includes(field))
  if (unknown === undefined) return visible.filter((field) => fields.includes(field))
  throw badParameter('fields', `has the unknown field ${unknown}. ${listFields(resource)}`)
}

function listFields({ visible }: Resource): string {
  return `Fields: ${visible.map(({ name }) => name).join(', ')}`
}

/** The items of comma-separated lists; a value that `isItem` accepts is one item. */
function toItems(values: readonly string[], isItem: (value: string) => boolean): string[] {
  return values.flatMap((value) => (isItem(value) ? [value] : value.split(',')))
}

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

function isOperator(text: string): text is Operator {
  return Object.hasOwn(operatorWords, text)
}

/** Of `name` or `name:operator`; a field whose name has a colon is found by its name first. */
function parseFilter(resource: Resource, parameter: string, values: readonly string[]) {
  const exact = findListField(resource, parameter)
  const [, name = '', suffix = 'eq'] = exact ? [] : (/^(.*):(.*)$/s.exec(parameter) ?? [])
  const field = exact ?? findListField(resource, name)
  if (!field) {
    // Only resources of a data file have relations.
    const others = `page, per_page, sort, q, fields, after${resource.storesId ? ', embed' : ''}`
    throw badParameter(
      parameter,
      `is an unknown field. ${listFields(resource)}. Other parameters: ${others}`,
    )
  }
  const operator = suffix === 'in' ? 'eq' : suffix
  if (!isOperator(operator)) {
    const known = [...Object.keys(operatorWords), 'in'].join(', ')
    throw badParameter(parameter, `has an unknown operator. Operators: ${known}`)
  }
  const items = suffix === 'in' ? values.join().split(',') : values
  for (const item of items) assertLength(parameter, item)
  const operands = parseOperands(parameter, { field, operator, items })
  const filter: Filter = { field: field.path, operator, ...operands }
  return { parameter, field, items, filter }
}

interface ParsedFilter {
  field: ListField
  operator: Operator
  items: readonly string[]
}

/** Of a list, `contains` finds an element. */
function parseOperands(name: string, { field, operator, items }: ParsedFilter) {
  const { path, schema } = field
  const { items: ofList = {} } = schema
  const isList = operator === 'contains' && toTypes(schema).includes('array')
  if (isOfText(operator) && hasScalars(schema)) {
    const elements = isList && { elements: items.flatMap((item) => toValues(ofList, item)) }
    return { values: items, ...elements }
  }
  if (isList && hasScalars(ofList))
    return { values: [], elements: items.flatMap((item) => parseValue(name, ofList, item)) }
  if (isOfText(operator)) throw badParameter(name, toHint(schema))
  const isTime = path === 'createdAt' || path === 'updatedAt'
  return {
    values: items.flatMap((item) =>
      isTime ? parseTime(name, item) : parseValue(name, schema, item),
    ),
  }
}

function parseValue(name: string, schema: FieldSchema, text: string): FieldValue[] {
  const values = toValues(schema, text)
  if (values.length > 0) return values
  throw badParameter(name, toHint(schema))
}

/** Every value of the field that the text may stand for: `1` is text and a number where both fit. */
function toValues(schema: FieldSchema, text: string): FieldValue[] {
  const types = toTypes(schema)
  const values: FieldValue[] = []
  if (isNumeric(types) && isDecimal(text) && Number.isFinite(Number(text)))
    values.push(Number(text))
  if (types.includes('boolean') && /^(true|false)$/.test(text)) values.push(text === 'true')
  // In a comparison, a list or an object is no value, as null is.
  const isScalar = hasScalars(schema) || types.every((type) => type === 'null')
  if (isScalar && types.includes('null') && text === 'null') values.push(null)
  if (types.includes('string')) values.push(text)
  return values
}

function isNumeric(types: readonly string[]): boolean {
  return types.includes('number') || types.includes('integer')
}

function toHint(schema: FieldSchema): string {
  const types = toTypes(schema)
  if (isNumeric(types)) return 'must be a number'
  if (types.includes('boolean')) return 'must be true or false'
  if (!types.includes('array')) return 'is an object. Filter by a member, as in address.city=Rome'
  return hasScalars(schema.items ?? {})
    ? 'is a list. Its only operator is contains, for an element, as in tags:contains=new'
    : 'is a list of objects or lists, which has no operators'
}

const timePattern = /^\d{4}(-\d\d(-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?)?)?$/

function parseTime(name: string, text: string): string {
  const time = timePattern.test(text) ? Date.parse(text) : NaN
  if (!Number.isNaN(time)) return new Date(time).toISOString()
  throw badParameter(name, 'must be a time like 2026-11-21 or 2026-11-21T08:00:00Z')
}
