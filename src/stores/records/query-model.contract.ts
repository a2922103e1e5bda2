import { toPredicate } from '../../lists/predicate.ts'
import { sortRecords } from '../../lists/select.ts'
import { findField, type FieldValue, type Operator } from './records.ts'
import type { RecordQuery, StoredRecord } from './records.ts'

/** The result of a query, computed without a database. */
export function selectRecords(all: readonly StoredRecord[], query: RecordQuery): StoredRecord[] {
  return sortRecords(all.filter(toPredicate(query, findField)), query)
}

export function fits(operator: Operator, value: FieldValue, other: FieldValue): boolean {
  return toPredicate({ filters: [{ field: 'value', operator, values: [other] }] })({ value })
}
