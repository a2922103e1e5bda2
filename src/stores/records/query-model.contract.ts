import type {
  Document,
  FieldPath,
  FieldValue,
  Filter,
  RecordQuery,
  SortTerm,
  StoredRecord,
} from './records.ts'

/** The result of a query, computed without a database. */
export function selectRecords(all: readonly StoredRecord[], query: RecordQuery): StoredRecord[] {
  return all.filter((record) => isSelected(record, query)).toSorted(toComparison(query))
}

function isSelected(record: StoredRecord, { filters, search }: RecordQuery): boolean {
  const isFound =
    search?.fields.some((field) => fits('contains', valueOf(record, field), search.text)) ?? true
  return isFound && filters.every((filter) => isMatch(record, filter))
}

function isMatch({ document, ...record }: StoredRecord, filter: Filter): boolean {
  const { field, elements = [] } = filter
  const list = document[[field].flat().join()]
  const hasElement = Array.isArray(list) && elements.some((element) => list.includes(element))
  return hasElement || isFitting(valueOf({ document, ...record }, field), filter)
}

function isFitting(value: FieldValue, { operator, values }: Filter): boolean {
  if (operator === 'ne') return !values.some((other) => other === value)
  return values.some((other) => fits(operator, value, other))
}

export function fits(operator: Filter['operator'], value: FieldValue, other: FieldValue): boolean {
  const text = value === null ? undefined : String(value).toLowerCase()
  const part = String(other).toLowerCase()
  const isOfType = toRank(value) === toRank(other)
  switch (operator) {
    case 'contains':
      return text?.includes(part) === true
    case 'startsWith':
      return text?.startsWith(part) === true
    case 'endsWith':
      return text?.endsWith(part) === true
    case 'eq':
      return value === other
    case 'ne':
      return value !== other
    case 'lt':
      return isOfType && compareValues(value, other) < 0
    case 'lte':
      return isOfType && compareValues(value, other) <= 0
    case 'gt':
      return isOfType && compareValues(value, other) > 0
    case 'gte':
      return isOfType && compareValues(value, other) >= 0
  }
}

function valueOf(
  { id, document, createdAt, updatedAt }: StoredRecord,
  field: FieldPath,
): FieldValue {
  let value: unknown = { ...document, _id: id, createdAt, updatedAt }
  for (const name of [field].flat()) {
    value = isObject(value) && Object.hasOwn(value, name) ? value[name] : null
  }
  return ['string', 'number', 'boolean'].includes(typeof value) ? (value as FieldValue) : null
}

function isObject(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function toComparison({ sort }: RecordQuery) {
  const isDescending = sort[0]?.isDescending ?? false
  const terms = [
    ...sort,
    { field: 'createdAt', isDescending },
    { field: '_id', isDescending },
  ] satisfies SortTerm[]
  return (one: StoredRecord, other: StoredRecord): number => {
    for (const term of terms) {
      const order = compareValues(valueOf(one, term.field), valueOf(other, term.field))
      if (order !== 0) return term.isDescending ? -order : order
    }
    return 0
  }
}

function compareValues(one: FieldValue, other: FieldValue): number {
  if (typeof one === 'string' && typeof other === 'string') {
    return Buffer.compare(Buffer.from(one), Buffer.from(other))
  }
  return toRank(one) - toRank(other) || Number(one) - Number(other)
}

function toRank(value: FieldValue): number {
  return ['number', 'string', 'boolean', 'object'].indexOf(typeof value)
}
