import type { XStatic } from 'typebox/schema'
import { createExpiring } from '../expiring.ts'
import { hasTypes, idSchema, textSchema, timeSchema, type Collection } from '../records/records.ts'

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

export type IdempotencyEntries = ReturnType<typeof createIdempotencyEntries>

/** In a full store the oldest are removed. `change` and `remove` do nothing to another version. */
export function createIdempotencyEntries(collection: Collection) {
  const now = () => new Date().toISOString()
  const { create, sweep } = createExpiring(collection, {
    toEnd: ({ document }) => (hasTypes(document, entrySchema) ? document.expiresAt : ''),
    order: 'createdAt',
    // An entry in use is changed all the time.
    leastSeconds: 60,
  })
  return {
    create: (id: string, entry: IdempotencyEntry) =>
      create({ id, document: { ...entry }, createdAt: now() }),
    find: async (keyHash: string) => {
      const { document, version } = (await collection.find(keyHash)) ?? {}
      return hasTypes(document, entrySchema) && version ? { ...document, version } : undefined
    },
    change: (id: string, version: number, entry: IdempotencyEntry) =>
      collection.change({ id, version, document: { ...entry }, updatedAt: now() }),
    remove: collection.remove,
    clear: collection.clear,
    sweep,
  }
}
