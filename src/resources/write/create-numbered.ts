import { createId } from '../../stores/create-id.ts'
import type { Collection, Document, NewRecord, StoredRecord } from '../../stores/records/records.ts'
import type { ResourceContext } from '../context.ts'
import type { Resource } from '../definition.ts'

/** The number of creates in progress in this process, and the last number that one of them tried. */
const attempts = new WeakMap<Collection, { inFlight: number; last: number }>()

/** Stores the document with the number after the largest stored one. */
export async function createNumbered(
  { resource, collection }: ResourceContext,
  document: Document,
): Promise<StoredRecord> {
  const attempt = attempts.get(collection) ?? { inFlight: 0, last: 0 }
  attempts.set(collection, attempt)
  attempt.inFlight += 1
  try {
    for (;;) {
      const largest = await findLargest(resource, collection)
      attempt.last = Math.max(attempt.last, largest) + 1
      const id = Number.isSafeInteger(attempt.last) ? attempt.last : createId()
      const stored = { [resource.idName]: id, ...document }
      const record = { id: String(id), document: stored, createdAt: nextTime() }
      if (await collection.create(record)) return toStored(record)
    }
  } finally {
    attempt.inFlight -= 1
    // The next number depends on the stored records only, also after a reset.
    if (attempt.inFlight === 0) attempts.delete(collection)
  }
}

async function findLargest({ idName }: Resource, collection: Collection): Promise<number> {
  const field = [idName]
  // Text is larger than every number.
  const filters = [{ field, operator: 'lte', values: [Number.MAX_SAFE_INTEGER] }] as const
  const query = { filters, sort: [{ field, isDescending: true }] }
  const [record] = await collection.list(query, { offset: 0, limit: 1 })
  return Number(record?.document[idName] ?? 0)
}

export function toStored(record: NewRecord): StoredRecord {
  return { ...record, version: 1, updatedAt: record.createdAt }
}

let lastTime = 0

/** Records that are created in one millisecond are listed in their order too. */
export function nextTime(): string {
  lastTime = Math.max(Date.now(), lastTime + 1)
  return new Date(lastTime).toISOString()
}

/** The id as it is in the document. */
export function parseId({ hasNumericIds }: Resource, id: string): string | number {
  const number = Number(id)
  return hasNumericIds && Number.isSafeInteger(number) && String(number) === id ? number : id
}
