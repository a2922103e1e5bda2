/**
 * What a store could not do for reasons that lie outside: it is `full`, or it is `unavailable`
 * (locked, not to be reached, damaged). Nothing was written, unless a connection was lost or ran out
 * of time over it: then it was, or will be, as a whole or not at all. Everything else is a bug.
 */
export class StoreFailure extends Error {
  readonly kind: 'full' | 'unavailable'

  constructor(kind: StoreFailure['kind'], cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.kind = kind
  }
}

/** Whether a store has no room for what it was to keep. */
export function isFull(error: unknown): boolean {
  return error instanceof StoreFailure && error.kind === 'full'
}

/** Whether a store cannot be reached, or is not as it was set up. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof StoreFailure && error.kind === 'unavailable'
}
