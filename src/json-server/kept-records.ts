import { mebibyte } from '../config/limits.ts'
import { findByIds } from '../lists/select.ts'
import type { Collection, Records, StoredRecord } from '../stores/records/records.ts'
import { nextTurn, performance } from '../timers.ts'
import { toShown, type Context } from './server.ts'

/** All records of a list, decoded, in its order. */
export interface KeptRecords {
  pages: readonly (readonly StoredRecord[])[]
  ids: readonly string[]
  byId: ReadonlyMap<string, StoredRecord>
}

interface Kept {
  state: number
  size?: number
  /** The number of records that requests have read from the store in this state. */
  read: number
  bytes: number
  loading?: Promise<void>
  /** Undefined if there are too many. */
  records?: KeptRecords
}

/** The kept records of a service, as `toBytes` estimates them. */
const maxKeptBytes = 32 * mebibyte

/** Of more records, the few that an index finds are read in less time than all are tested. */
const maxTested = 1000

/** The list that was read last comes last. */
const keptLists = new WeakMap<Records, Map<Collection, Kept>>()

/**
 * json-server has all records in memory: to read and parse them takes most of the time of a request. They are kept for
 * one state of the list, and only when requests have read as many from the store, so that a read between two writes
 * costs no more than without them.
 */
export async function findKept(context: Context, willRead: number, isIndexed = false) {
  const { collection, records } = context
  const state = await collection.state?.()
  if (state === undefined) return undefined
  const all = keptLists.get(records) ?? new Map<Collection, Kept>()
  keptLists.set(records, all)
  const known = all.get(collection)
  const kept = known && known.state >= state ? known : { state, read: 0, bytes: 0 }
  all.delete(collection)
  all.set(collection, kept)
  kept.size ??= await collection.count()
  if (isIndexed && kept.size > maxTested) return undefined
  kept.read += willRead
  if (kept.read - willRead < kept.size) return undefined
  kept.loading ??= load(context, all, kept)
  // A page is read from the store in less time.
  if (willRead === Infinity) await kept.loading
  return kept.records
}

/** A response finds each part of its records again: all of them would be kept while a client does not read it. */
export async function findByIdsOrKept({ collection, records }: Context, ids: readonly string[]) {
  return keptLists.get(records)?.get(collection)?.records?.byId ?? findByIds(collection, ids)
}

async function load(context: Context, all: Map<Collection, Kept>, kept: Kept): Promise<void> {
  const { collection, resource } = context
  // The filters name passwords too.
  const isShown = resource.passwords.length === 0
  const pages: StoredRecord[][] = []
  try {
    for await (const page of collection.pages()) {
      const toKept = (record: StoredRecord) => ({ ...record, document: toShown(context, record) })
      pages.push(isShown ? page.map(toKept) : [...page])
      kept.bytes += toBytes(page)
      if (kept.bytes > maxKeptBytes) kept.bytes = 0
      makeSpace(all)
      if (kept.bytes === 0 || all.get(collection) !== kept) return
    }
    const records = pages.flat()
    const byId = new Map(records.map((record) => [record.id, record]))
    kept.records = { pages, ids: [...byId.keys()], byId }
  } catch {
    // The request reads the store, and fails if it needs the records that cannot be read.
    all.delete(collection)
  }
}

/** Other requests have a turn of the event loop after this time. */
const turnMs = 5

export async function* readInTurns({ pages }: KeptRecords) {
  let startedAtMs = performance.now()
  for (const page of pages) {
    yield page
    if (performance.now() - startedAtMs < turnMs) continue
    await nextTurn()
    startedAtMs = performance.now()
  }
}

function makeSpace(all: Map<Collection, Kept>): void {
  let total = [...all.values()].reduce((sum, { bytes }) => sum + bytes, 0)
  for (const [collection, { bytes }] of all) {
    if (total <= maxKeptBytes) return
    all.delete(collection)
    total -= bytes
  }
}

function toBytes(value: unknown): number {
  if (typeof value === 'string') return 24 + 2 * value.length
  if (typeof value !== 'object' || value === null) return 16
  const add = (sum: number, [name, member]: [string, unknown]) =>
    sum + 24 + 2 * name.length + toBytes(member)
  return Object.entries(value).reduce(add, 64)
}
