import { formatNumber } from '../config/format-count.ts'
import { collectionNames, toKind } from './collection-names.ts'

/** Nothing was written, unless the connection was lost: then the whole write or nothing. */
export class StoreFailure extends Error {
  readonly kind: 'full' | 'unavailable'
  readonly detail: string | undefined

  constructor(kind: StoreFailure['kind'], cause: unknown, detail?: string) {
    super(toReason(cause), { cause })
    this.kind = kind
    this.detail = detail
  }
}

export function noMoreRecords(resource: string, maxRecords: number): StoreFailure {
  const count = `${formatNumber(maxRecords)} ${toKind(resource)}`
  const setting = resource === collectionNames.sandboxes ? 'MAX_SANDBOXES' : 'MAX_RECORDS'
  return limitReached(`There are ${count}, the limit ${setting} of this service.`)
}

export function limitReached(sentence: string, cause: unknown = sentence): StoreFailure {
  return new StoreFailure('full', cause, `${sentence} Nothing was stored.`)
}

export const filesUnavailable = 'The file storage is temporarily unavailable.'

export function isFull(error: unknown): boolean {
  return error instanceof StoreFailure && error.kind === 'full'
}

export async function retryIfFull<Result>(
  write: () => Promise<Result>,
  removeSome: () => Promise<void>,
): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (!isFull(error)) throw error
    await removeSome()
    return write()
  }
}

export const notNeeded = () => new StoreFailure('unavailable', 'the response is no longer needed')

export function isUnavailable(error: unknown): boolean {
  return error instanceof StoreFailure && error.kind === 'unavailable'
}

export function toReason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

export const madeBefore02 =
  'it was made by Vitrine 0.1. Vitrine 0.2 can read it: see Upgrades in docs/operating.md'

/** `first` is the number of the first schema of version 0.2, `own` that of this version. */
export function assertKnownSchema(version: number, first: number, own = first): void {
  if (version > own) throw new Error(`it was made by a newer Vitrine (schema ${String(version)})`)
  if (version < first) throw new Error(madeBefore02)
}

export function failToOpen(url: string, error: unknown): never {
  throw new Error(`${url} cannot be opened: ${toReason(error)}`, { cause: error })
}
