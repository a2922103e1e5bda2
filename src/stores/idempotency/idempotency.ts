import type { XStatic } from 'typebox/schema'
import { allRecords, hasRequired, idSchema, textSchema, timeSchema } from '../records/records.ts'
import type { Collection } from '../records/records.ts'
import { retryIfFull } from '../store-failure.ts'

const responseSchema = {
  type: 'object',
  required: ['status', 'headers', 'content'],
  properties: {
    status: { type: 'integer', minimum: 200, maximum: 599 },
    headers: {
      type: 'object',
      propertyNames: { pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" },
      additionalProperties: { type: 'string', pattern: '^[\\t\\x20-\\x7e\\x80-\\xff]*$' },
    },
    /** Base64. */
    content: { type: 'string', pattern: '^[A-Za-z0-9+/]*={0,2}$' },
  },
} as const

export const entrySchema = {
  type: 'object',
  required: ['fingerprint', 'recordId', 'leasedUntil', 'expiresAt'],
  properties: {
    fingerprint: textSchema,
    recordId: idSchema,
    leasedUntil: timeSchema,
    expiresAt: timeSchema,
    /** The response. Entries are stored with this name. */
    answer: responseSchema,
  },
} as const

export type StoredResponse = XStatic<typeof responseSchema>
export type IdempotencyEntry = XStatic<typeof entrySchema>

const leastSeconds = 60
const removedTogether = 10

export type IdempotencyEntries = ReturnType<typeof createIdempotencyEntries>

/** In a full store the oldest are removed. `change` and `remove` do nothing to another version. */
export function createIdempotencyEntries(collection: Collection) {
  const now = () => new Date().toISOString()

  return {
    create: (id: string, entry: IdempotencyEntry) => {
      const record = { id, document: { ...entry }, createdAt: now() }
      return retryIfFull(
        () => collection.create(record),
        () => removeOldest(collection),
      )
    },
    find: async (keyHash: string) => {
      const { document, version } = (await collection.find(keyHash)) ?? {}
      return hasRequired(document, entrySchema) && version ? { ...document, version } : undefined
    },
    change: (id: string, version: number, entry: IdempotencyEntry) =>
      collection.change({ id, version, document: { ...entry }, updatedAt: now() }),
    remove: collection.remove,
    clear: collection.clear,
    sweep: async (time: string) => {
      for await (const page of collection.pages()) {
        const expired = page.filter(
          ({ document }) => !hasRequired(document, entrySchema) || document.expiresAt <= time,
        )
        for (const { id, version } of expired) await collection.remove(id, version)
        // All have the same lifetime, so the rest is younger.
        if (expired.length === 0) return
      }
    },
  }
}

async function removeOldest(collection: Collection): Promise<void> {
  const before = new Date(Date.now() - leastSeconds * 1000).toISOString()
  const oldest = await collection.list(allRecords, { offset: 0, limit: 10 * removedTogether })
  // An entry in use is changed all the time.
  const idle = oldest.filter(({ updatedAt }) => updatedAt <= before)
  for (const { id, version } of idle.slice(0, removedTogether)) await collection.remove(id, version)
}
