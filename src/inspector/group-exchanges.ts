import type { ExchangeSummary } from './exchange.ts'

/** A client sends what follows a redirect or a preflight at once, unless a person has to confirm it. */
const maxPauseMs = 10_000

/** Groups a list, the latest first: each exchange is followed by the redirects and the preflight before it. */
export function groupExchanges<Item extends ExchangeSummary>(
  exchanges: readonly Item[],
): readonly (readonly Item[])[] {
  const waiting: Item[] = []
  const groups = new Map<Item, readonly Item[]>()
  for (const later of exchanges.toReversed()) {
    const at = waiting.findLastIndex((earlier) => leadsTo(earlier, later))
    const [earlier] = at < 0 ? [] : waiting.splice(at, 1)
    groups.set(later, [later, ...((earlier && groups.get(earlier)) ?? [])])
    if (earlier) groups.delete(earlier)
    if (later.isPreflight || later.location !== undefined) waiting.push(later)
  }
  return [...groups.values()].toReversed()
}

function leadsTo(earlier: ExchangeSummary, later: ExchangeSummary): boolean {
  const pauseMs = Date.parse(later.receivedAt) - Date.parse(earlier.receivedAt) - earlier.ms
  if (earlier.client !== later.client || pauseMs > maxPauseMs) return false
  if (earlier.isPreflight) return !later.isPreflight && earlier.target === later.target
  return toTarget(earlier.location ?? '', earlier.target) === toTarget(later.target)
}

/** Without the origin and the fragment. */
function toTarget(location: string, base = '/'): string | undefined {
  const url = URL.parse(location, `http://localhost${base}`)
  return url ? url.pathname + url.search : undefined
}
