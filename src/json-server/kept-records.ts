import { mebibyte } from '../config/limits.ts'
import type { Collection, Records, StoredRecord } from '../stores/records/records.ts'
import { nextTurn, performance } from '../timers.ts'
import { toShown, type Context } from './server.ts'

/** The records of a resource by their ids in the store, in the order of a list. */
export type KeptRecords = ReadonlyMap<string, StoredRecord>

interface Kept {
  state: number
  /** The length of their JSON, in UTF-16 code units. */
  length: number
  /** Undefined if there are too many. */
  records?: Promise<KeptRecords | undefined>
}

const maxKeptRecords = 10_000
/** The JSON of all kept records of a database, in UTF-16 code units: in memory they take several times as much. */
const maxKeptLength = 4 * mebibyte

const keepers = new WeakMap<Records, ReturnType<typeof createKeeper>>()

/**
 * All records of a resource, decoded, as json-server has them. Reading them from the database takes most of the
 * time of a request. They are read again after each write of any process, and not kept if they are too many.
 */
export async function findKept(context: Context) {
  const { collection, records } = context
  const state = await collection.state?.()
  if (state === undefined) return undefined
  const keeper = keepers.get(records) ?? createKeeper()
  keepers.set(records, keeper)
  return keeper(context, state)
}

function createKeeper() {
  /** The resource that was read last comes last. */
  const all = new Map<Collection, Kept>()
  const makeSpace = () => {
    for (const oldest of all.keys()) {
      const total = [...all.values()].reduce((sum, { length }) => sum + length, 0)
      if (total <= maxKeptLength) return
      all.delete(oldest)
    }
  }
  const load = async (context: Context, kept: Kept) => {
    const { collection, resource } = context
    if ((await collection.count()) > maxKeptRecords) return undefined
    const records = new Map<string, StoredRecord>()
    let length = 0
    for await (const page of collection.pages()) {
      length += JSON.stringify(page).length
      if (length > maxKeptLength) return undefined
      for (const record of page) {
        // The filters name passwords too.
        const document = resource.passwords.length > 0 ? record.document : toShown(context, record)
        records.set(record.id, { ...record, document })
      }
    }
    kept.length = length
    makeSpace()
    return records
  }
  return (context: Context, state: number) => {
    const { collection } = context
    const known = all.get(collection)
    const kept: Kept = known?.state === state ? known : { state, length: 0 }
    all.delete(collection)
    all.set(collection, kept)
    kept.records ??= load(context, kept).catch((error: unknown) => {
      all.delete(collection)
      throw error
    })
    return kept.records
  }
}

/** A turn of the event loop is given to other requests after this time. */
const turnMs = 5

export async function* inParts<Item>(items: readonly Item[], size: number) {
  let startedAtMs = performance.now()
  for (let start = 0; start < items.length; start += size) {
    if (performance.now() - startedAtMs > turnMs) {
      await nextTurn()
      startedAtMs = performance.now()
    }
    yield items.slice(start, start + size)
  }
}
