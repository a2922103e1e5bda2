/** Nothing was written, unless the connection was lost: then the whole write or nothing. */
export class StoreFailure extends Error {
  readonly kind: 'full' | 'unavailable'

  constructor(kind: StoreFailure['kind'], cause: unknown) {
    super(toReason(cause), { cause })
    this.kind = kind
  }
}

export function isFull(error: unknown): boolean {
  return error instanceof StoreFailure && error.kind === 'full'
}

export async function makeRoomIfFull<Result>(
  write: () => Promise<Result>,
  makeRoom: () => Promise<void>,
): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (!isFull(error)) throw error
    await makeRoom()
    return write()
  }
}

export function isUnavailable(error: unknown): boolean {
  return error instanceof StoreFailure && error.kind === 'unavailable'
}

export function toReason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

export function hasCode(error: unknown, ...codes: unknown[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(error.code)
}

export function failToOpen(url: string, error: unknown): never {
  throw new Error(`${url} cannot be opened: ${toReason(error)}`, { cause: error })
}
