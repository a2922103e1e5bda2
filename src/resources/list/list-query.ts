import { isDecimal } from '../../http/request/number.ts'
import {
  isOfText,
  type Filter,
  type Operator,
  type Part,
  type RecordQuery,
  type SortTerm,
} from '../../stores/records/records.ts'
import type { Resource } from '../definition.ts'
import { toItems, toOwnSpelling } from './list-aliases.ts'
import { BadParameter, type ParameterTexts } from './list-parameters.ts'
import { parsePart, type Page } from './list-part.ts'

/** What the parameters of a list ask for. */
export interface ListQuery {
  records: RecordQuery
  /** The fields to show; undefined for all of them. */
  fields?: readonly string[]
  /** Undefined for all records. */
  part?: Part & { page?: Page }
}

/** The names of what a client may see of a record, in the order in which it is shown. */
export function toVisibleFields({ fields }: Resource): string[] {
  const visible = fields.filter(({ kind }) => kind !== 'password')
  return ['_id', ...visible.map(({ name }) => name), 'createdAt', 'updatedAt']
}

/**
 * Reads the parameters of a list. Throws a BadParameter for a name or value that is not known:
 * passing over it would answer another question. What clients may not see is not known either.
 */
export function parseListQuery(resource: Resource, given: ParameterTexts): ListQuery {
  const visible = toVisibleFields(resource)
  const { sort = [], q = [], fields, ...rest } = Object.fromEntries(toOwnSpelling(given, visible))
  const part = parsePart(rest)
  const text = assertLength('q', q.at(-1) ?? '')
  const filters = Object.entries(rest).flatMap(([name, values]) =>
    partNames.includes(name) ? [] : parseFilter(resource, name, values),
  )
  assertCount(filters)
  refuseSearches(filters, text)
  return {
    records: {
      filters,
      ...(text !== '' && { search: { text, fields: visible.slice(0, -2) } }),
      sort: parseSort(visible, sort),
    },
    ...(fields && { fields: parseFields(visible, toItems(fields)) }),
    ...(part && { part }),
  }
}

const partNames = ['page', 'per_page', '_start', '_end']

/** Longer than any value there is; what is compared with every record may not be longer. */
const maxTextLength = 2000

function assertLength(name: string, text: string): string {
  if (text.length <= maxTextLength) return text
  throw new BadParameter(name, `must be at most ${String(maxTextLength)} characters long`)
}

const maxValues = 100

/** Every value is compared with every record, whichever filter it is of. */
function assertCount(filters: readonly Filter[]): void {
  const count = filters.reduce((sum, { values }) => sum + values.length, 0)
  const last = filters.at(-1)
  if (last === undefined || count <= maxValues) return
  throw new BadParameter(
    [last.field].flat().join('.'),
    `is one too many: all filters have ${String(maxValues)} values`,
  )
}

const maxSearches = 10
const maxSearchLength = 500

/** Each text is compared with that of every record, at worst at each of its characters. */
function refuseSearches(filters: readonly Filter[], text: string): void {
  const searches = filters.filter(({ operator }) => isOfText(operator))
  const texts = searches.flatMap(({ values }) => values.map(String))
  if (text !== '') texts.push(text)
  if (texts.length <= maxSearches && texts.join('').length <= maxSearchLength) return
  throw new BadParameter(
    [searches.at(-1)?.field ?? 'q'].flat().join('.'),
    `is too much to search for: q, contains, startsWith and endsWith have at most ${String(maxSearches)} values, of ${String(maxSearchLength)} characters together`,
  )
}

const maxSortTerms = 10

function parseSort(visible: readonly string[], sort: readonly string[]): SortTerm[] {
  if (sort.join('') === '') return []
  const terms = toItems(sort)
  if (terms.length > maxSortTerms) {
    throw new BadParameter('sort', `must have at most ${String(maxSortTerms)} fields`)
  }
  return terms.map((term) => parseSortTerm(visible, term))
}

function parseSortTerm(visible: readonly string[], term: string): SortTerm {
  const field = term.replace(/^-/, '')
  if (!visible.includes(field)) throw unknownField('sort', field, visible)
  return { field, isDescending: term !== field }
}

function parseFields(visible: readonly string[], fields: readonly string[]): string[] {
  for (const field of fields) {
    if (!visible.includes(field)) throw unknownField('fields', field, visible)
  }
  return visible.filter((field) => fields.includes(field))
}

function unknownField(parameter: string, field: string, visible: readonly string[]): BadParameter {
  const names = visible.join(', ')
  return new BadParameter(parameter, `names ${field}, which is no field here; there are ${names}`)
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

function parseFilter(resource: Resource, name: string, values: readonly string[]): Filter {
  const visible = toVisibleFields(resource)
  const [field = '', word = 'eq', ...more] = name.split(':')
  if (!visible.includes(field)) {
    throw new BadParameter(name, `is no field here; there are ${visible.join(', ')}`)
  }
  const operator = word === 'in' ? 'eq' : operators.find((known) => known === word)
  if (operator === undefined || more.length > 0) {
    throw new BadParameter(name, `has no known operator; there are ${operators.join(', ')}, in`)
  }
  const items = (word === 'in' ? toItems(values) : values).map((item) => assertLength(name, item))
  if (items.length > maxValues) throw new BadParameter(name, `has over ${String(maxValues)} values`)
  const isNumber = resource.fields.some((known) => known.name === field && known.kind === 'number')
  if (isOfText(operator)) return { field, operator, values: items }
  if (isNumber) return { field, operator, values: items.map((item) => parseNumber(name, item)) }
  const isTime = field === 'createdAt' || field === 'updatedAt'
  return { field, operator, values: isTime ? items.map((item) => parseTime(name, item)) : items }
}

/** ISO 8601, of which a day is the beginning of it, as times are kept: in UTC. */
function parseTime(name: string, text: string): string {
  const time = /^\d{4}(-\d\d(-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?)?)?$/.test(text)
    ? Date.parse(text)
    : NaN
  if (!Number.isNaN(time)) return new Date(time).toISOString()
  throw new BadParameter(name, 'must be a time like 2026-11-21 or 2026-11-21T08:00:00Z')
}

function parseNumber(name: string, text: string): number {
  const number = isDecimal(text) ? Number(text) : NaN
  if (Number.isFinite(number)) return number
  throw new BadParameter(name, 'must be a number')
}
