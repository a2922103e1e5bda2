import type { State, Validators } from '../../http/response/preconditions.ts'
import type { StoredRecord } from '../../stores/records/records.ts'

/** The media types in which a record is shown. */
export const recordTypes = ['text/html', 'application/json', 'text/plain'] as const
export type RecordType = (typeof recordTypes)[number]

/**
 * The validators of one representation of a record (RFC 9110 §8.8), the same after a restart and on
 * every replica. The page's tag is weak, since a page has more than the record.
 */
export function toValidators(record: StoredRecord, type: RecordType): Required<Validators> {
  // A deleted record may be created again under the same id: the time tells both apart.
  const state = `${String(record.version)}-${Date.parse(record.createdAt).toString(36)}`
  return { etag: toEtag(state, type), lastModified: new Date(record.updatedAt) }
}

function toEtag(state: string, type: RecordType): string {
  switch (type) {
    case 'application/json':
      return `"${state}-json"`
    case 'text/plain':
      return `"${state}-text"`
    case 'text/html':
      return `W/"${state}-html"`
  }
}

/** A strong tag of the record's state. */
export function toTag(record: StoredRecord): string {
  return toValidators(record, 'application/json').etag
}

/** What the preconditions of a write are evaluated against. */
export function toState(record: StoredRecord): State {
  return {
    etags: recordTypes.map((type) => toValidators(record, type).etag),
    lastModified: new Date(record.updatedAt),
  }
}
