import { createId } from '../../stores/create-id.ts'
import type { Collection, Document, NewRecord, StoredRecord } from '../../stores/records/records.ts'
import type { ResourceContext } from '../context.ts'
import type { Resource } from '../definition.ts'

interface Numbers {
  inFlight: number
  last: number
  /** The largest stored number, if the collection has had no other writes since `state` than `attempts` creates. */
  largest: number
  state: number | undefined
  attempts: number
}

const numbers = new WeakMap<Collection, Numbers>()

export async function createNumbered(
  context: ResourceContext,
  document: Document,
): Promise<StoredRecord> {
  const { resource, collection } = context
  const own = (await collection.ofScope?.(true)) ?? collection
  const initial = { inFlight: 0, last: 0, largest: 0, state: undefined, attempts: 0 }
  const known = numbers.get(own) ?? initial
  numbers.set(own, known)
  known.inFlight += 1
  try {
    // A record whose id is the text of the number is not among the numbers: the next one is tried.
    for (let tried = 0; ; tried = known.last) {
      const number = await toNextNumber(context, known, tried)
      const id = Number.isSafeInteger(number) ? number : createId()
      const stored = { [resource.idName]: id, ...document }
      const record = { id: String(id), document: stored, createdAt: nextTime() }
      const isStored = await collection.create(record)
      known.attempts += 1
      if (!isStored) continue
      known.largest = Math.max(known.largest, number)
      return toStored(record)
    }
  } finally {
    known.inFlight -= 1
  }
}

/**
 * It depends on the stored records only, also after a reset. The search for the largest number takes longer than
 * the create. Each write moves the state by one or more, a create by one.
 */
async function toNextNumber(
  { resource, collection }: ResourceContext,
  known: Numbers,
  tried: number,
) {
  const state = await collection.state?.()
  if (state === undefined || state !== (known.state ?? NaN) + known.attempts) {
    const largest = await findLargest(resource, collection)
    Object.assign(known, { largest, state, attempts: 0 })
  }
  known.last = Math.max(known.inFlight > 1 ? known.last : tried, known.largest) + 1
  return known.last
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

export function parseId({ hasNumericIds }: Resource, id: string): string | number {
  const number = Number(id)
  return hasNumericIds && Number.isSafeInteger(number) && String(number) === id ? number : id
}
