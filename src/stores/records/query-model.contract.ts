import { compareKeys, toCompares, toPredicate } from '../../lists/predicate.ts'
import { findAt, toPosition } from './records.ts'
import type { FieldPath, FieldValue, Operator, RecordQuery, StoredRecord } from './records.ts'

/** The result of a query, computed without a database. */
export function selectRecords(all: readonly StoredRecord[], query: RecordQuery): StoredRecord[] {
  const isDescending = query.sort[0]?.isDescending ?? false
  const ties = ['createdAt', '_id'].map((field) => ({ field, isDescending }))
  const compare = compareKeys(toCompares([...query.sort, ...ties]))
  return all
    .filter(toPredicate(query, findField))
    .map((record) => ({ record, position: toPosition(query, record) }))
    .toSorted((one, other) => compare(one.position, other.position))
    .map(({ record }) => record)
}

function findField({ id, document, createdAt, updatedAt }: StoredRecord, field: FieldPath) {
  const own = { ...document, _id: id, createdAt, updatedAt }
  return findAt(typeof field === 'string' ? own : document, field)
}

export function fits(operator: Operator, value: FieldValue, other: FieldValue): boolean {
  return toPredicate({ filters: [{ field: 'value', operator, values: [other] }] })({ value })
}
