import { performance } from '../timers.ts'
import type { Collection, NewRecord, StoredRecord } from './records/records.ts'
import { openPerSandbox } from './sandboxes/sandboxes.ts'
import { retryIfFull } from './store-failure.ts'

const sweepPauseMs = 1000
const maxTogether = 100

interface Lifetime {
  /** Returns a time in ISO 8601, or an empty text for a damaged record. */
  toEnd: (record: StoredRecord) => string
  order?: 'createdAt' | 'updatedAt'
  /** A record that was changed in the last seconds, of this number, is not removed before its end. */
  leastSeconds?: number
  max?: number
  remove?: (records: readonly StoredRecord[]) => Promise<void>
}

export function createExpiring(collection: Collection, lifetime: Lifetime) {
  const { toEnd, order, leastSeconds = 0, max = Infinity, remove = removeEach } = lifetime
  const sort = order === 'updatedAt' ? [{ field: order, isDescending: false }] : []
  const query = { filters: [], sort }
  const find = openPerSandbox((): { sweptAtMs: number; removing?: Promise<void> | undefined } => ({
    sweptAtMs: -Infinity,
  }))

  async function removeEach(records: readonly StoredRecord[]): Promise<void> {
    for (const { id, version } of records) await collection.remove(id, version)
  }
  const sweep = async (now: string): Promise<number> => {
    let total = 0
    for await (const page of collection.pages(query)) {
      const ended = page.filter((record) => toEnd(record) <= now)
      if (order !== undefined && ended.length === 0) break
      await remove(ended)
      total += ended.length
    }
    find().sweptAtMs = performance.now()
    return total
  }
  /** Concurrent creations may have exceeded the maximum, and the next ones need space. */
  const countSurplus = async () => {
    const excess = Math.max((await collection.count()) - max, 0)
    return excess + Math.min(Math.ceil(max / 100), maxTogether)
  }
  const removeNow = async () => {
    const isDue = performance.now() - find().sweptAtMs >= sweepPauseMs
    const swept = isDue ? await sweep(new Date().toISOString()) : 0
    if (swept > 0 || order === undefined) return
    const oldest = await collection.list(query, { offset: 0, limit: await countSurplus() })
    // Counted again: another process may have removed the excess before the list was read.
    const surplus = oldest.slice(0, await countSurplus())
    const before = new Date(Date.now() - leastSeconds * 1000).toISOString()
    await remove(surplus.filter(({ updatedAt }) => updatedAt <= before))
  }
  const removeSome = () => {
    const own = find()
    return (own.removing ??= removeNow().finally(() => {
      own.removing = undefined
    }))
  }
  return {
    sweep,
    removeSome,
    create: async (record: NewRecord): Promise<boolean> => {
      if (max < Infinity && (await collection.count()) >= max) await removeSome()
      return retryIfFull(() => collection.create(record), removeSome)
    },
  }
}
