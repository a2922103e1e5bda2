import { isFull } from '../store-failure.ts'
import { allRecords, type Collection, type StoredRecord } from '../records/records.ts'
import type { IdempotencyEntries, IdempotencyEntry, VersionedEntry } from './idempotency-entries.ts'

/** A key is stored at least this long: a client repeats a request sooner. */
const leastSeconds = 60
const forgottenTogether = 10

/**
 * Idempotency entries as records. In a full store the oldest make room: only they can be removed.
 */
export function createDatabaseIdempotencyEntries(records: Collection): IdempotencyEntries {
  const now = () => new Date().toISOString()

  async function forgetOldest(): Promise<void> {
    const before = new Date(Date.now() - leastSeconds * 1000).toISOString()
    const oldest = await records.list(allRecords, {
      offset: 0,
      limit: 10 * forgottenTogether,
    })
    // A claim in use is changed all the time.
    const idle = oldest.filter(({ updatedAt }) => updatedAt <= before)
    for (const { id, version } of idle.slice(0, forgottenTogether)) {
      await records.remove(id, version)
    }
  }

  return {
    create: async (keyHash, claim) => {
      const record = { id: keyHash, document: { ...claim }, createdAt: now() }
      try {
        return await records.create(record)
      } catch (error) {
        if (!isFull(error)) throw error
        await forgetOldest()
        return records.create(record)
      }
    },
    find: async (keyHash) => {
      const record = await records.find(keyHash)
      return record && toStandingClaim(record)
    },
    change: (keyHash, version, claim) =>
      records.change({ id: keyHash, version, document: { ...claim }, updatedAt: now() }),
    remove: (keyHash, version) => records.remove(keyHash, version),
    clear: () => records.clear(),
    sweep: async (time) => {
      for await (const page of records.pages()) {
        const expired = page.filter((record) => toStandingClaim(record).expiresAt <= time)
        for (const { id, version } of expired) await records.remove(id, version)
        // All have the same lifetime, so the rest is younger.
        if (expired.length === 0) return
      }
    },
  }
}

function toStandingClaim({ document, version }: StoredRecord): VersionedEntry {
  return { ...(document as unknown as IdempotencyEntry), version }
}
