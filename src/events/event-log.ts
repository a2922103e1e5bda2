import type { ChangeLog, ChangePart } from '../stores/records/records.ts'
import { toScopeKey } from '../stores/sandboxes/sandboxes.ts'
import { StoreFailure } from '../stores/store-failure.ts'

export interface EventLog<LogPart> {
  findLast: () => number | Promise<number>
  read: (after: number) => Read<LogPart> | Promise<Read<LogPart>>
  /** Calls `wake` when there may be more to read. Returns what stops it. */
  watch: (wake: () => void) => () => void
}

interface Read<LogPart> {
  part: LogPart | undefined
  last: number
}

/** Reads each part of the changes of a collection once for all streams that wait for it. */
export function createEventLog<LogPart>(
  { read, watch }: ChangeLog,
  collection: string,
  toPart: (part: ChangePart) => LogPart,
): EventLog<LogPart> {
  const load = async (after: number) => {
    try {
      const changes = await read(collection, after)
      return { part: toPart(changes), last: changes.last }
    } catch (error) {
      if (error instanceof StoreFailure) return { part: undefined, last: after }
      throw error
    }
  }
  const parts = new Map<string, ReturnType<typeof load>>()
  return {
    findLast: async () => (await read(collection)).last,
    watch: (wake) =>
      watch(() => {
        // A part that is being read may be older than the change.
        parts.clear()
        wake()
      }),
    read: (after) => {
      const key = `${toScopeKey()} ${String(after)}`
      const known = parts.get(key)
      if (known) return known
      const part = load(after)
      const forget = () => parts.delete(key)
      part.then(forget, forget)
      parts.set(key, part)
      return part
    },
  }
}
