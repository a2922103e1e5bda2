import type { Count, Counters } from './counters.ts'

interface Window {
  requests: number
  /** By the clock of `performance.now`, which nobody can put back. */
  endsAt: number
}

/**
 * Counts in the memory of this process. Of more than `maxWindows` the oldest goes, so that nobody
 * fills the memory by coming from many addresses.
 */
export function createMemoryCounters(windowMs: number, maxWindows = 100_000): Counters {
  // All windows are equally long, so they end in the order in which they were put in.
  const windows = new Map<string, Window>()
  // Kept: a new one passes over all that was deleted before it, which in a full Map takes 100 µs.
  let oldestFirst = windows.entries()
  let oldest: [string, Window] | undefined

  function findOldest(): [string, Window] | undefined {
    if (oldest !== undefined && windows.get(oldest[0]) === oldest[1]) return oldest
    oldest = oldestFirst.next().value
    if (oldest !== undefined) return oldest
    // One that has come to its end stays there.
    oldestFirst = windows.entries()
    return (oldest = oldestFirst.next().value)
  }

  function forgetOldest(now: number): void {
    for (let window = findOldest(); window !== undefined; window = findOldest()) {
      if (window[1].endsAt > now && windows.size < maxWindows) return
      windows.delete(window[0])
    }
  }

  return {
    add: (key): Count => {
      const now = performance.now()
      const known = windows.get(key)
      if (known !== undefined && known.endsAt > now) {
        known.requests += 1
        return { requests: known.requests, msLeft: known.endsAt - now }
      }
      windows.delete(key)
      forgetOldest(now)
      windows.set(key, { requests: 1, endsAt: now + windowMs })
      return { requests: 1, msLeft: windowMs }
    },
  }
}
