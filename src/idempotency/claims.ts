import { v7 as createId } from 'uuid'
import { keyInFlight } from '../http/errors/http-error.ts'
import type {
  IdempotencyEntries,
  IdempotencyEntry,
  VersionedEntry,
} from '../stores/idempotency/idempotency-entries.ts'

/** So long a key is remembered. */
const keptSeconds = 24 * 3600
/** So soon after a process has ended, another one goes on with what it was doing. */
const leaseSeconds = 2

/** A claim that a request works on. */
export interface HeldEntry {
  keyHash: string
  claim: IdempotencyEntry
  version: number
  /** Nobody has begun this request before. */
  isFirst: boolean
}

/**
 * Claims a key for a request of this fingerprint, or finds what stands under it already. A claim
 * without an answer, which nobody works on any more, is taken over with its record id.
 */
export async function claimKey(
  answers: IdempotencyEntries,
  keyHash: string,
  fingerprint: string,
): Promise<{ hold: HeldEntry } | { standing: VersionedEntry }> {
  // Every round that one loses, another has won, and then there is something standing.
  for (let round = 1; round <= 10; round += 1) {
    const fresh = createClaim(fingerprint)
    if (await answers.create(keyHash, fresh)) {
      return { hold: { keyHash, claim: fresh, version: 1, isFirst: true } }
    }
    const standing = await answers.find(keyHash)
    if (standing === undefined) continue
    const { version, ...stood } = standing
    const isExpired = stood.expiresAt <= toTime(0)
    if (!isExpired && !isAbandoned(stood, fingerprint)) return { standing }
    const claim = isExpired ? fresh : { ...stood, leasedUntil: fresh.leasedUntil }
    if (await answers.change(keyHash, version, claim)) {
      return { hold: { keyHash, claim, version: version + 1, isFirst: isExpired } }
    }
  }
  throw keyInFlight()
}

function isAbandoned(claim: IdempotencyEntry, fingerprint: string): boolean {
  const isSame = claim.fingerprint === fingerprint
  return isSame && claim.answer === undefined && claim.leasedUntil <= toTime(0)
}

function createClaim(fingerprint: string): IdempotencyEntry {
  return {
    fingerprint,
    recordId: createId(),
    leasedUntil: toTime(leaseSeconds),
    expiresAt: toTime(keptSeconds),
  }
}

function toTime(secondsFromNow: number): string {
  return new Date(Date.now() + secondsFromNow * 1000).toISOString()
}

/** Goes on renewing the lease until the returned function is called, and has resolved. */
export function keepLease(
  answers: IdempotencyEntries,
  hold: HeldEntry,
  onFailure: (error: unknown) => void,
): () => Promise<void> {
  let renewed = Promise.resolve()
  const renew = () => {
    renewed = renewed
      .then(() => changeClaim(answers, hold, { leasedUntil: toTime(leaseSeconds) }))
      .catch(onFailure)
  }
  const timer = setInterval(renew, (leaseSeconds * 1000) / 4).unref()
  return async () => {
    clearInterval(timer)
    await renewed
  }
}

/** Lets the next request with this key, which must be the same one, go on at once. */
export async function endLease(answers: IdempotencyEntries, hold: HeldEntry): Promise<void> {
  await changeClaim(answers, hold, { leasedUntil: toTime(0) })
}

/** Does nothing where another request has taken the claim over. */
export async function changeClaim(
  answers: IdempotencyEntries,
  hold: HeldEntry,
  changes: Partial<IdempotencyEntry>,
): Promise<void> {
  const claim = { ...hold.claim, ...changes }
  if (!(await answers.change(hold.keyHash, hold.version, claim))) return
  hold.claim = claim
  hold.version += 1
}
