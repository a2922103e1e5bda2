import type { ExchangeSummary } from './exchange.ts'

/** A client sends what follows a redirect or a preflight at once, unless a person has to confirm it. */
const maxPauseMs = 10_000

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
  const isNext = earlier.isPreflight
    ? !later.isPreflight && earlier.target === later.target
    : findTargets(earlier).next === findTargets(later).own
  if (!isNext || earlier.client !== later.client) return false
  return Date.parse(later.receivedAt) - Date.parse(earlier.receivedAt) - earlier.ms <= maxPauseMs
}

const targetsByExchange = new WeakMap<ExchangeSummary, ReturnType<typeof toTargets>>()

/** Parsed once for each exchange: a URL can have 8 KiB, and a list has thousands of pairs. */
function findTargets(exchange: ExchangeSummary) {
  const targets = targetsByExchange.get(exchange) ?? toTargets(exchange)
  targetsByExchange.set(exchange, targets)
  return targets
}

function toTargets({ target, location = '' }: ExchangeSummary) {
  return { own: toTarget(target), next: toTarget(location, target) }
}

function toTarget(location: string, base = '/'): string | undefined {
  const url = URL.parse(location, `http://localhost${base}`)
  return url ? url.pathname + url.search : undefined
}
