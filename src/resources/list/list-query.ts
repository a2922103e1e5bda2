import { isDecimal } from '../../http/request/number.ts'
import {
  isOfText,
  type FieldValue,
  type Filter,
  type Operator,
  type Part,
  type RecordQuery,
  type SortTerm,
} from '../../stores/records/records.ts'
import { toTypes, type JsonType, type Resource } from '../definition.ts'
import { resolveAliases, toItems } from './list-aliases.ts'
import { findListField, toVisibleFields, type ListField } from './list-fields.ts'
import { BadParameter, type ParameterTexts } from './list-parameters.ts'
import { parsePart, type Page } from './list-part.ts'

export interface ListQuery {
  records: RecordQuery
  /** The fields to show; undefined for all of them. */
  fields?: readonly string[]
  /** Undefined for all records. */
  part?: Part & { page?: Page }
}

/**
 * Throws a BadParameter for an unknown name or value: ignoring it would change the meaning of the
 * request. A password is an unknown field.
 */
export function parseListQuery(resource: Resource, parameters: ParameterTexts): ListQuery {
  const {
    sort = [],
    q = [],
    fields,
    ...rest
  } = Object.fromEntries(resolveAliases(parameters, resource))
  const part = parsePart(rest)
  const text = assertLength('q', q.at(-1) ?? '')
  const filters = Object.entries(rest).flatMap(([name, values]) =>
    partNames.includes(name) ? [] : parseFilter(resource, name, values),
  )
  assertCount(filters)
  assertSearches(filters, text)
  const searched = toVisibleFields(resource).slice(0, -2)
  return {
    records: {
      filters: filters.map(({ filter }) => filter),
      ...(text !== '' && { search: { text, fields: searched } }),
      sort: parseSort(resource, sort),
    },
    ...(fields && { fields: parseFields(resource, fields) }),
    ...(part && { part }),
  }
}

const partNames = ['page', 'per_page', '_start', '_end']

/** Longer than any stored text: every value is compared with every record. */
const maxTextLength = 2000

function assertLength(name: string, text: string): string {
  if (text.length <= maxTextLength) return text
  throw new BadParameter(name, `must be at most ${String(maxTextLength)} characters long`)
}

interface NamedFilter {
  name: string
  filter: Filter
}

const maxValues = 100

function assertCount(filters: readonly NamedFilter[]): void {
  const count = filters.reduce((sum, { filter }) => sum + filter.values.length, 0)
  const last = filters.at(-1)
  if (last === undefined || count <= maxValues) return
  throw new BadParameter(last.name, `exceeds the ${String(maxValues)} values of all filters`)
}

const maxSearches = 10
const maxSearchLength = 500

/** Each text is compared with every record, at worst at each of its characters. */
function assertSearches(filters: readonly NamedFilter[], text: string): void {
  const searches = filters.filter(({ filter }) => isOfText(filter.operator))
  const texts = searches.flatMap(({ filter }) => filter.values.map(String))
  if (text !== '') texts.push(text)
  if (texts.length <= maxSearches && texts.join('').length <= maxSearchLength) return
  throw new BadParameter(
    searches.at(-1)?.name ?? 'q',
    `exceeds the limit: q, contains, startsWith and endsWith have at most ${String(maxSearches)} values, of ${String(maxSearchLength)} characters together`,
  )
}

const maxSortTerms = 10

function parseSort(resource: Resource, sort: readonly string[]): SortTerm[] {
  if (sort.join('') === '') return []
  const isTerm = (value: string) => findListField(resource, value.replace(/^-/, '')) !== undefined
  const terms = toItems(sort, isTerm)
  if (terms.length > maxSortTerms) {
    throw new BadParameter('sort', `must have at most ${String(maxSortTerms)} fields`)
  }
  return terms.map((term) => {
    const exact = findListField(resource, term)
    const found = exact ?? findListField(resource, term.replace(/^-/, ''))
    if (found === undefined) throw unknownField(resource, 'sort', term.replace(/^-/, ''))
    return { field: found.path, isDescending: exact === undefined }
  })
}

function parseFields(resource: Resource, values: readonly string[]): string[] {
  const visible = toVisibleFields(resource)
  const fields = toItems(values, (value) => visible.includes(value))
  for (const field of fields) {
    if (!visible.includes(field)) throw unknownField(resource, 'fields', field)
  }
  return visible.filter((field) => fields.includes(field))
}

function unknownField(resource: Resource, parameter: string, field: string): BadParameter {
  return new BadParameter(parameter, `has the unknown field ${field}. ${listFields(resource)}`)
}

function listFields(resource: Resource): string {
  return `Fields: ${toVisibleFields(resource).join(', ')}`
}

const operators = [
  'eq',
  'ne',
  'lt',
  'lte',
  'gt',
  'gte',
  'contains',
  'startsWith',
  'endsWith',
] as const satisfies readonly Operator[]

/** `name`, `name:operator`; a field whose name has a colon is found by its name first. */
export function parseFilterName(
  resource: Resource,
  name: string,
): { field: ListField; operator: string } | undefined {
  const exact = findListField(resource, name)
  if (exact) return { field: exact, operator: 'eq' }
  const colon = name.lastIndexOf(':')
  const field = colon === -1 ? undefined : findListField(resource, name.slice(0, colon))
  return field && { field, operator: name.slice(colon + 1) }
}

function parseFilter(resource: Resource, name: string, values: readonly string[]): NamedFilter {
  const parsed = parseFilterName(resource, name)
  if (parsed === undefined) {
    throw new BadParameter(name, `is an unknown field. ${listFields(resource)}`)
  }
  const { field } = parsed
  const isList = parsed.operator === 'in'
  const operator = isList ? 'eq' : operators.find((known) => known === parsed.operator)
  if (operator === undefined) {
    throw new BadParameter(name, `has an unknown operator. Operators: ${operators.join(', ')}, in`)
  }
  const items = (isList ? toItems(values) : values).map((item) => assertLength(name, item))
  if (items.length > maxValues) {
    throw new BadParameter(name, `must have at most ${String(maxValues)} values`)
  }
  const parsedValues = isOfText(operator)
    ? items
    : items.flatMap((item) => parseValue(name, field, item))
  return { name, filter: { field: field.path, operator, values: parsedValues } }
}

/** Every value of the field that the text may stand for: `1` is text and a number where both fit. */
function parseValue(name: string, { path, schema }: ListField, text: string): FieldValue[] {
  if (path === 'createdAt' || path === 'updatedAt') return [parseTime(name, text)]
  const types = toTypes(schema)
  const allows = (...wanted: JsonType[]) => wanted.some((type) => types.includes(type))
  const number = allows('number', 'integer') && isDecimal(text) ? Number(text) : NaN
  const values: FieldValue[] = [
    ...(Number.isFinite(number) ? [number] : []),
    ...(allows('boolean') && /^(true|false)$/.test(text) ? [text === 'true'] : []),
    ...(allows('null') && text === 'null' ? [null] : []),
    ...(allows('string') ? [text] : []),
  ]
  if (values.length > 0) return values
  if (allows('number', 'integer')) throw new BadParameter(name, 'must be a number')
  if (allows('boolean')) throw new BadParameter(name, 'must be true or false')
  throw new BadParameter(
    name,
    'is a list or an object. Filter by a member, as in address.city=Rome',
  )
}

/** The start of a day, month or year, or a time; in UTC, as times are stored. */
function parseTime(name: string, text: string): string {
  const time = /^\d{4}(-\d\d(-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?)?)?$/.test(text)
    ? Date.parse(text)
    : NaN
  if (!Number.isNaN(time)) return new Date(time).toISOString()
  throw new BadParameter(name, 'must be a time like 2026-11-21 or 2026-11-21T08:00:00Z')
}
