export interface StoredResponse {
  status: number
  headers: Readonly<Record<string, string>>
  /** Base64. */
  content: string
}

/** A claim by a request in progress, later with its response. Times are ISO 8601. */
export interface IdempotencyEntry {
  /** Differs between requests with the same key. */
  fingerprint: string
  /** Of the record that the request creates; a repetition uses the same. */
  recordId: string
  /** Until then no other request takes over the claim. */
  leasedUntil: string
  expiresAt: string
  answer?: StoredResponse
}

export type VersionedEntry = IdempotencyEntry & {
  /** 1 when created; incremented by every change. */
  version: number
}

/** Entries by the hash of the idempotency key. */
export interface IdempotencyEntries {
  /** False when the key is taken. */
  create: (keyHash: string, claim: IdempotencyEntry) => Promise<boolean>

  /** Includes expired entries. */
  find: (keyHash: string) => Promise<VersionedEntry | undefined>

  /** Atomic. False when there is no such entry, or it has another version. */
  change: (keyHash: string, version: number, claim: IdempotencyEntry) => Promise<boolean>

  /** False when there is no such entry, or it has another version. */
  remove: (keyHash: string, version: number) => Promise<boolean>

  /** Resolves with the number of removed entries; entries that are created meanwhile may remain. */
  clear: () => Promise<number>

  /** Removes the entries that have expired by `now`. */
  sweep: (now: string) => Promise<void>
}
