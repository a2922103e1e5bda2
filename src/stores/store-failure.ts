/**
 * A failure that the caller did not cause: the store is `full` or `unavailable` (locked,
 * unreachable, damaged). Nothing was written, unless the connection was lost meanwhile: then the
 * whole write or nothing. Everything else is a bug.
 */
export class StoreFailure extends Error {
  readonly kind: 'full' | 'unavailable'

  constructor(kind: StoreFailure['kind'], cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.kind = kind
  }
}

export function isFull(error: unknown): boolean {
  return error instanceof StoreFailure && error.kind === 'full'
}

export function isUnavailable(error: unknown): boolean {
  return error instanceof StoreFailure && error.kind === 'unavailable'
}
