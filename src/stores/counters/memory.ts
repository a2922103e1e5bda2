import type { Count, Counters } from './counters.ts'

interface Window {
  requests: number
  endsAt: number
}

/** The oldest is dropped, so that many client addresses cannot fill the memory. */
export function createMemoryCounters(windowMs: number, maxWindows = 100_000): Counters {
  // All windows have the same length, so insertion order is the order of their ends.
  const windows = new Map<string, Window>()
  // Reused: a new iterator passes over all deleted entries first, up to 100 µs in a full Map.
  let oldestFirst = windows.entries()
  let oldest: [string, Window] | undefined

  function findOldest(): [string, Window] | undefined {
    if (oldest !== undefined && windows.get(oldest[0]) === oldest[1]) return oldest
    oldest = oldestFirst.next().value
    if (oldest !== undefined) return oldest
    // An iterator that has reached its end does not see later entries.
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
