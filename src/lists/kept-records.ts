import pLimit from 'p-limit'
import { mebibyte } from '../config/limits.ts'
import { findByIds } from './select.ts'
import type { Collection, Records, StoredRecord } from '../stores/records/records.ts'
import { nextTurn } from '../timers.ts'

export interface Source {
  collection: Collection
  records: Records
}

/** All records of a list, in its order. */
interface KeptRecords {
  pages: readonly (readonly StoredRecord[])[]
  byId: ReadonlyMap<string, StoredRecord>
  /** In the order that was last requested. */
  sorted?: { order: string; records: readonly StoredRecord[] }
}

interface Kept {
  state: number
  size?: number
  read: number
  /** The length of the JSON of its records, once they are kept. */
  length: number
  loading?: Promise<KeptRecords | undefined>
}

/** The length of all kept records as JSON. In memory they take up to three times as much, and empty objects 20 times. */
const maxKeptLength = 4 * mebibyte
/** Each sandbox has lists of its own. */
const maxKeptLists = 1000
const keptLists = new WeakMap<Records, Map<Collection, Kept>>()
const inTurn = pLimit(1)

/**
 * To read and parse all records takes most of the time of a request for a list. They are kept for one state of the list,
 * and only when requests have read as many from the store, so that reads between writes cost at most twice as much as
 * without them. They are as the store has them, because the lists of a dialect and of the service share them. A longer
 * list than `maxSize` is not kept for this request.
 */
export async function findKept(source: Source, willRead: number, maxSize: number) {
  const { records } = source
  const collection = await findOwn(source.collection)
  const state = await collection.state?.()
  if (state === undefined) return undefined
  const all = keptLists.get(records) ?? new Map<Collection, Kept>()
  if (all.size > maxKeptLists) all.clear()
  keptLists.set(records, all)
  const known = all.get(collection)
  const kept = known && known.state >= state ? known : { state, read: 0, length: 0 }
  all.set(collection, kept)
  kept.size ??= await collection.count()
  if (kept.size > maxSize) return undefined
  const isKept = kept.read >= kept.size
  kept.read += willRead
  if (!isKept) return undefined
  return (kept.loading ??= inTurn(load, collection, all, kept))
}

const findOwn = async (collection: Collection) => (await collection.ofScope?.()) ?? collection

/** A response finds each part of its records again: all of them would be kept while a client does not read it. */
export async function findByIdsOrKept({ collection, records }: Source, ids: readonly string[]) {
  const kept = await keptLists.get(records)?.get(await findOwn(collection))?.loading
  return kept?.byId ?? findByIds(collection, ids)
}

async function load(
  collection: Collection,
  all: Map<Collection, Kept>,
  kept: Kept,
): Promise<KeptRecords | undefined> {
  const pages: (readonly StoredRecord[])[] = []
  let length = 0
  try {
    for await (const page of collection.pages()) {
      length += JSON.stringify(page).length
      if (length > maxKeptLength) return undefined
      pages.push(page)
    }
  } catch {
    // The request reads the store, and fails if it needs the records that cannot be read.
    all.delete(collection)
    return undefined
  }
  kept.length = length
  const total = [...all.values()].reduce((sum, each) => sum + each.length, 0)
  for (const [other, each] of all) if (total > maxKeptLength && each !== kept) all.delete(other)
  return { pages, byId: new Map(pages.flat().map((record) => [record.id, record])) }
}

/** Other requests have a turn of the event loop after so many pages, which have 16 KiB each. */
const pagesPerTurn = 20

export async function* readInTurns({ pages }: KeptRecords) {
  for (const [index, page] of pages.entries()) {
    if (index % pagesPerTurn === pagesPerTurn - 1) await nextTurn()
    yield page
  }
}
