import type { StoredRecord } from '../../stores/records/records.ts'
import type { Resource } from '../definition.ts'

/** What a record is called: its first field, or its id where that shows nothing. */
export function toName({ fields }: Resource, { id, document }: StoredRecord): string {
  const name = document[fields[0]?.name ?? '']
  return typeof name === 'string' && /[\p{L}\p{N}\p{P}\p{S}]/u.test(name) ? name : id
}
