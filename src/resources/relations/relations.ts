import { findByIds } from '../../lists/select.ts'
import type { Html } from '../../site/html.ts'
import { isFieldValue, type Filter, type StoredRecord } from '../../stores/records/records.ts'
import type { Relation } from '../context.ts'
import { findValue } from '../field-values.ts'

/** Matches the records that reference one of these: the id may be a number in their documents. */
export function toChildFilter(
  { field, isTextOnly = false }: Pick<Relation, 'field' | 'isTextOnly'>,
  ids: readonly string[],
): Filter {
  const isNumber = (id: string) =>
    !isTextOnly && Number.isFinite(Number(id)) && String(Number(id)) === id
  const values = ids.flatMap((id) => (isNumber(id) ? [id, Number(id)] : [id]))
  return { field: [field], operator: 'eq', values }
}

export function findReferenced({ document }: Pick<StoredRecord, 'document'>, field: string) {
  const value = findValue(document, field)
  return isFieldValue(value) && value !== null ? String(value) : undefined
}

/** Returns a link to the parent that a field of the record references. */
export type ToParentLink = (record: StoredRecord, field: string) => Html | undefined

export interface RelatedHtml {
  toParentLink: ToParentLink
  children: readonly Html[]
}

export async function loadParents(
  { field, other }: Relation,
  records: readonly Pick<StoredRecord, 'document'>[],
) {
  const ids = records.flatMap((record) => findReferenced(record, field) ?? [])
  return [...(await findByIds(other.collection, ids)).values()]
}
