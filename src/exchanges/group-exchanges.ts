import type { Summary } from './exchange.ts'

/** A client sends what follows a redirect or a preflight at once, unless a person has to confirm it. */
const maxPauseMs = 10_000

export function groupExchanges<Item extends Summary>(
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

function leadsTo(earlier: Summary, later: Summary): boolean {
  const isNext = earlier.isPreflight
    ? !later.isPreflight && earlier.target === later.target
    : findTargets(earlier).next === findTargets(later).own
  if (!isNext || earlier.client !== later.client) return false
  return Date.parse(later.receivedAt) - Date.parse(earlier.receivedAt) - earlier.ms <= maxPauseMs
}

/** A person needs time to log in, to reload or to repeat a request. */
const maxChainPauseMs = 600_000
/** A reset, 20 failures that the page /responses can ask for, and what follows them. */
const maxChain = 22

/**
 * The exchanges that led to this one and that followed from it, oldest first: redirects and preflights, a request
 * that is repeated after 401 or 412, the requests of a sequence and its reset, and requests with the same Idempotency-Key.
 */
export function findChain(newestFirst: readonly Summary[], id: string): readonly Summary[] {
  const all = newestFirst.toReversed()
  const at = all.findIndex((one) => one.id === id)
  if (at < 0) return []
  const chain = all.slice(at, at + 1)
  for (const earlier of all.slice(0, at).toReversed())
    if (isFollowed(earlier, chain, all)) chain.unshift(earlier)
  for (const later of all.slice(at + 1)) {
    const last = chain.slice(-1)
    if (last.some((one) => isFollowed(one, [later], all))) chain.push(later)
  }
  const own = chain.findIndex((one) => one.id === id)
  const start = Math.max(0, Math.min(own, chain.length - maxChain))
  return chain.slice(start, start + maxChain)
}

function isFollowed(
  earlier: Summary,
  [later]: readonly Summary[],
  all: readonly Summary[],
): boolean {
  if (later === undefined || earlier.client !== later.client) return false
  const isAutomatic = earlier.isPreflight || earlier.location !== undefined
  if (isAutomatic && leadsTo(earlier, later)) return true
  const pause = Date.parse(later.receivedAt) - Date.parse(earlier.receivedAt)
  if (pause > maxChainPauseMs) return false
  if (earlier.effectiveMethod === 'DELETE' && later.step === 1)
    return toPath(earlier) === `${toPath(later)}/state`
  if (toPath(earlier) !== toPath(later)) return false
  const isRepeated = earlier.effectiveMethod === later.effectiveMethod
  if (isRepeated && earlier.step !== undefined) return earlier.step + 1 === later.step
  if (isRepeated && earlier.idempotencyKey !== undefined)
    return earlier.idempotencyKey === later.idempotencyKey
  if (earlier.status === 401) return isRepeated
  const isRead = (one: Summary) => one.effectiveMethod === 'GET'
  if (earlier.status === 412) return isRepeated || isRead(later)
  const isFailed = (one: Summary) =>
    one.status === 412 &&
    one.effectiveMethod === later.effectiveMethod &&
    toPath(one) === toPath(later) &&
    one.client === later.client
  return isRead(earlier) && !isRead(later) && all.slice(0, all.indexOf(earlier)).some(isFailed)
}

const toPath = ({ target }: Summary) => target.replace(/\/?(\?.*)?$/, '')

const targetsByExchange = new WeakMap<Summary, ReturnType<typeof toTargets>>()

/** Parsed once for each exchange: a URL can have 8 KiB, and a list has thousands of pairs. */
function findTargets(exchange: Summary) {
  const targets = targetsByExchange.get(exchange) ?? toTargets(exchange)
  targetsByExchange.set(exchange, targets)
  return targets
}

function toTargets({ target, location = '' }: Summary) {
  return { own: toRedirected(target), next: toRedirected(location, target) }
}

function toRedirected(location: string, base = '/'): string | undefined {
  const url = URL.parse(location, `http://localhost${base}`)
  return url ? url.pathname + url.search : undefined
}
