import { allRecords, hasTexts, type Collection } from '../records/records.ts'
import { makeRoomIfFull } from '../store-failure.ts'

export interface StoredResponse {
  status: number
  headers: Readonly<Record<string, string>>
  /** Base64. */
  content: string
}

export interface IdempotencyEntry {
  fingerprint: string
  recordId: string
  leasedUntil: string
  expiresAt: string
  answer?: StoredResponse
}

const leastSeconds = 60
const removedTogether = 10

export type IdempotencyEntries = ReturnType<typeof createIdempotencyEntries>

/** In a full store the oldest are removed. `change` and `remove` do nothing to another version. */
export function createIdempotencyEntries(records: Collection) {
  const now = () => new Date().toISOString()

  return {
    create: (id: string, entry: IdempotencyEntry) => {
      const record = { id, document: { ...entry }, createdAt: now() }
      return makeRoomIfFull(
        () => records.create(record),
        () => removeOldest(records),
      )
    },
    find: async (keyHash: string) => {
      const { document, version } = (await records.find(keyHash)) ?? {}
      return isEntry(document) && version ? { ...document, version } : undefined
    },
    change: (id: string, version: number, entry: IdempotencyEntry) =>
      records.change({ id, version, document: { ...entry }, updatedAt: now() }),
    remove: records.remove,
    clear: records.clear,
    sweep: async (time: string) => {
      for await (const page of records.pages()) {
        const expired = page.filter(
          ({ document }) => !isEntry(document) || document.expiresAt <= time,
        )
        for (const { id, version } of expired) await records.remove(id, version)
        // All have the same lifetime, so the rest is younger.
        if (expired.length === 0) return
      }
    },
  }
}

async function removeOldest(records: Collection): Promise<void> {
  const before = new Date(Date.now() - leastSeconds * 1000).toISOString()
  const oldest = await records.list(allRecords, { offset: 0, limit: 10 * removedTogether })
  // An entry in use is changed all the time.
  const idle = oldest.filter(({ updatedAt }) => updatedAt <= before)
  for (const { id, version } of idle.slice(0, removedTogether)) await records.remove(id, version)
}

function isEntry(value: unknown): value is IdempotencyEntry {
  return hasTexts(value, ['fingerprint', 'recordId', 'leasedUntil', 'expiresAt'])
}
