/** An answer as it can be given again. */
export interface StoredResponse {
  status: number
  headers: Readonly<Record<string, string>>
  /** The content, in Base64. */
  content: string
}

/** What stands under a key: a request that is being handled, and then its answer. Times are ISO 8601. */
export interface IdempotencyEntry {
  /** Tells the request from every other that comes with the same key. */
  fingerprint: string
  /** Of what the request creates, however often it is begun. */
  recordId: string
  /** Until then nobody else begins it again. */
  leasedUntil: string
  /** Until then the key is remembered. */
  expiresAt: string
  answer?: StoredResponse
}

export type VersionedEntry = IdempotencyEntry & {
  /** 1 when created; grows by one with every change. */
  version: number
}

/** Answers by the hash of the key that a client gave its request. */
export interface IdempotencyEntries {
  /** False when the key is taken. */
  create: (keyHash: string, claim: IdempotencyEntry) => Promise<boolean>

  /** As it stands, expired or not. */
  find: (keyHash: string) => Promise<VersionedEntry | undefined>

  /** Check and write in one step. False when there is none, or no longer of this version. */
  change: (keyHash: string, version: number, claim: IdempotencyEntry) => Promise<boolean>

  /** False when there was none, or no longer of this version. */
  remove: (keyHash: string, version: number) => Promise<boolean>

  /** Removes all; those that come meanwhile may stay. Resolves with how many there were. */
  clear: () => Promise<number>

  /** Removes what has expired by `now`, the oldest first. */
  sweep: (now: string) => Promise<void>
}
