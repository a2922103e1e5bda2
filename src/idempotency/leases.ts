import { v7 as createId } from 'uuid'
import { keyInFlight } from '../http/errors/http-error.ts'
import type {
  IdempotencyEntries,
  IdempotencyEntry,
  VersionedEntry,
} from '../stores/idempotency/idempotency-entries.ts'

const storedSeconds = 24 * 3600
/** After this time another process continues the request of a process that ended. */
const leaseSeconds = 2

/** The entry of a request that this process is handling. */
export interface LeasedEntry {
  keyHash: string
  entry: IdempotencyEntry
  version: number
  /** False if an earlier attempt at this request did not finish. */
  isFirst: boolean
}

/**
 * Creates the entry of a key, or finds the existing one. An entry without a response whose lease has
 * expired is taken over with its record id.
 */
export async function leaseKey(
  entries: IdempotencyEntries,
  keyHash: string,
  fingerprint: string,
): Promise<{ leased: LeasedEntry } | { existing: VersionedEntry }> {
  // A round is lost only to another request, which then has an entry.
  for (let round = 1; round <= 10; round += 1) {
    const created = createEntry(fingerprint)
    if (await entries.create(keyHash, created)) {
      return { leased: { keyHash, entry: created, version: 1, isFirst: true } }
    }
    const existing = await entries.find(keyHash)
    if (existing === undefined) continue
    const { version, ...stored } = existing
    const isExpired = stored.expiresAt <= toTime(0)
    if (!isExpired && !isAbandoned(stored, fingerprint)) return { existing }
    const entry = isExpired ? created : { ...stored, leasedUntil: created.leasedUntil }
    if (await entries.change(keyHash, version, entry)) {
      return { leased: { keyHash, entry, version: version + 1, isFirst: isExpired } }
    }
  }
  throw keyInFlight()
}

function isAbandoned(entry: IdempotencyEntry, fingerprint: string): boolean {
  const isSame = entry.fingerprint === fingerprint
  return isSame && entry.answer === undefined && entry.leasedUntil <= toTime(0)
}

function createEntry(fingerprint: string): IdempotencyEntry {
  return {
    fingerprint,
    recordId: createId(),
    leasedUntil: toTime(leaseSeconds),
    expiresAt: toTime(storedSeconds),
  }
}

function toTime(secondsFromNow: number): string {
  return new Date(Date.now() + secondsFromNow * 1000).toISOString()
}

/** Renews the lease until the returned function is called and has resolved. */
export function renewLease(
  entries: IdempotencyEntries,
  leased: LeasedEntry,
  onFailure: (error: unknown) => void,
): () => Promise<void> {
  let renewed = Promise.resolve()
  const renew = () => {
    renewed = renewed
      .then(() => changeEntry(entries, leased, { leasedUntil: toTime(leaseSeconds) }))
      .catch(onFailure)
  }
  const timer = setInterval(renew, (leaseSeconds * 1000) / 4).unref()
  return async () => {
    clearInterval(timer)
    await renewed
  }
}

/** Allows the next attempt at the same request at once. */
export async function endLease(entries: IdempotencyEntries, leased: LeasedEntry): Promise<void> {
  await changeEntry(entries, leased, { leasedUntil: toTime(0) })
}

/** Has no effect if another request has taken the entry over. */
export async function changeEntry(
  entries: IdempotencyEntries,
  leased: LeasedEntry,
  changes: Partial<IdempotencyEntry>,
): Promise<void> {
  const entry = { ...leased.entry, ...changes }
  if (!(await entries.change(leased.keyHash, leased.version, entry))) return
  leased.entry = entry
  leased.version += 1
}
