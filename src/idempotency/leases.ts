import { toTime } from '../auth/session-lifecycle.ts'
import { storedResponseSeconds } from '../config/limits.ts'
import { keyInFlight } from '../http/errors/http-error.ts'
import { createId } from '../stores/create-id.ts'
import type { IdempotencyEntries, IdempotencyEntry } from '../stores/idempotency/idempotency.ts'
import { clearInterval, setInterval } from '../timers.ts'

/** After this time another process continues the request of a process that ended. */
const leaseSeconds = 2

type Lease = Awaited<ReturnType<typeof leaseKey>>

/** `isFirst` is false if an earlier attempt did not finish; its record id is used again. */
export async function leaseKey(entries: IdempotencyEntries, keyHash: string, fingerprint: string) {
  // A round fails only when another request writes the entry.
  for (let round = 1; round <= 10; round += 1) {
    const created: IdempotencyEntry = {
      fingerprint,
      recordId: createId(),
      leasedUntil: toTime(leaseSeconds),
      expiresAt: toTime(storedResponseSeconds),
    }
    if (await entries.create(keyHash, created)) {
      return { keyHash, entry: created, version: 1, isLeased: true, isFirst: true }
    }
    const existing = await entries.find(keyHash)
    if (existing === undefined) continue
    const { version, ...stored } = existing
    const isExpired = stored.expiresAt <= toTime()
    const isAbandoned = stored.answer === undefined && stored.leasedUntil <= toTime()
    if (!isExpired && !(isAbandoned && stored.fingerprint === fingerprint)) {
      return { keyHash, entry: stored, version, isLeased: false, isFirst: false }
    }
    const entry = isExpired ? created : { ...stored, leasedUntil: created.leasedUntil }
    if (await entries.change(keyHash, version, entry)) {
      return { keyHash, entry, version: version + 1, isLeased: true, isFirst: isExpired }
    }
  }
  throw keyInFlight()
}

/** Renews the lease until the returned function is called. Pass the response if it can be stored. */
export function renewLease(
  entries: IdempotencyEntries,
  { keyHash, entry, version, isFirst }: Lease,
  onFailure: (error: unknown) => void,
): (status: number, response?: IdempotencyEntry['answer']) => Promise<void> {
  let last = Promise.resolve()
  const change = (changes: Partial<IdempotencyEntry>) =>
    (last = last
      .then(async () => {
        const changed = { ...entry, ...changes }
        if (!(await entries.change(keyHash, version, changed))) return
        entry = changed
        version += 1
      })
      .catch(onFailure))
  const renew = () => void change({ leasedUntil: toTime(leaseSeconds) })
  const timer = setInterval(renew, (leaseSeconds * 1000) / 4).unref()
  return async (status, response) => {
    clearInterval(timer)
    await last
    if (response) await change({ answer: response })
    // Nothing was done, so the corrected request can use the key.
    else if (status >= 400 && status < 500 && isFirst)
      await entries.remove(keyHash, version).catch(onFailure)
    // Something may have been done: the next attempt, with the same record id, can begin at once.
    else await change({ leasedUntil: toTime() })
  }
}
