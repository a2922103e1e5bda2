import type { Counters } from './counters.ts'
import { performance } from '../../timers.ts'

/** The oldest is dropped, so that many client addresses cannot fill the memory. */
export function createMemoryCounters(
  windowMs: number,
  maxWindows = 100_000,
): Counters & { count: (prefix: string) => number } {
  // All windows have the same length, so insertion order is the order of their ends.
  const windows = new Map<string, { requests: number; endsAtMs: number }>()
  // The iterator is used again: a new one passes over all deleted entries first, up to 100 µs in a full Map.
  let entries = windows.entries()
  let oldest = entries.next().value

  function forgetOldest(now: number): void {
    while (windows.size > 0) {
      if (oldest && windows.get(oldest[0]) === oldest[1]) {
        if (oldest[1].endsAtMs > now && windows.size < maxWindows) return
        windows.delete(oldest[0])
      }
      // An iterator that has reached its end does not see later entries.
      if (oldest === undefined) entries = windows.entries()
      oldest = entries.next().value
    }
  }

  return {
    count: (prefix) => {
      const now = performance.now()
      const isOpen = ([key, { endsAtMs }]: [string, { endsAtMs: number }]) =>
        endsAtMs > now && key.startsWith(prefix)
      return windows.entries().filter(isOpen).toArray().length
    },
    add: (key) => {
      const now = performance.now()
      const known = windows.get(key)
      if (known !== undefined && known.endsAtMs > now) {
        known.requests += 1
        return { requests: known.requests, leftMs: known.endsAtMs - now }
      }
      windows.delete(key)
      forgetOldest(now)
      windows.set(key, { requests: 1, endsAtMs: now + windowMs })
      return { requests: 1, leftMs: windowMs }
    },
  }
}
