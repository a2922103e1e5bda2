import type { Html } from '../../site/html.ts'
import type { StoredRecord } from '../../stores/records/records.ts'
import type { Resource } from '../definition.ts'
import { acceptedPatchTypes } from '../write/input.ts'
import { recordPage } from './record-page.ts'
import { toRepresentation, recordToText } from './representations.ts'
import { toValidators, type RecordType } from './validators.ts'

/** A record in a media type, with the fields that go with it. */
interface CachedRepresentation {
  validators: ReturnType<typeof toValidators>
  headers: Readonly<Record<string, string>>
  /** A page as the bytes that it becomes, which would else be made for each answer. */
  content: string | Buffer
}

const representations = new WeakMap<
  StoredRecord,
  Partial<Record<RecordType, CachedRepresentation>>
>()

/**
 * What a GET answers with. Made once for as long as the store hands out the same record, which is a
 * tenth of the answer's cost as JSON and a quarter as a page.
 */
export function findRepresentation(
  resource: Resource,
  record: StoredRecord,
  type: RecordType,
): CachedRepresentation {
  let byType = representations.get(record)
  if (byType === undefined) {
    byType = {}
    representations.set(record, byType)
  }
  return (byType[type] ??= renderRepresentation(resource, record, type))
}

function renderRepresentation(
  resource: Resource,
  record: StoredRecord,
  type: RecordType,
): CachedRepresentation {
  const validators = toValidators(record, type)
  const headers = {
    etag: validators.etag,
    'last-modified': validators.lastModified.toUTCString(),
    'cache-control': 'private, no-cache',
    'accept-patch': acceptedPatchTypes.join(', '),
  }
  const text = toContent(resource, record, { type })
  return { validators, headers, content: type === 'text/html' ? Buffer.from(text) : text }
}

/** The text of a record in a media type; a page may say something above it. */
export function toContent(
  resource: Resource,
  record: StoredRecord,
  { type, flash }: { type: RecordType; flash?: Html | undefined },
): string {
  switch (type) {
    case 'text/html':
      return recordPage(resource, record, flash).markup
    case 'application/json':
      return JSON.stringify(toRepresentation(resource, record))
    case 'text/plain':
      return recordToText(resource, record)
  }
}
