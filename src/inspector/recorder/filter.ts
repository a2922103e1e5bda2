import { toCompares, toPredicate, toScalar } from '../../lists/predicate.ts'
import { sortFound } from '../../lists/select.ts'
import { findAt, type FieldPath, type Filter, type SortTerm } from '../../stores/records/records.ts'
import type { Summary } from '../../exchanges/exchange.ts'

/** The owner that `hashOwner` returns. Without a session and a key: undefined, or `.` and the sandbox. */
export type Viewer = string | undefined

/** Each exchange is seen in its sandbox only, and without one if it had none. */
export function isSameSandbox(owner: Viewer, viewer: Viewer): boolean {
  return toSandbox(owner) === toSandbox(viewer)
}

export const toSandbox = (viewer = ''): string | undefined => /[.].*$/.exec(viewer)?.[0]

export function isOwner(owner: Viewer, viewer: Viewer): boolean {
  return viewer !== undefined && !viewer.startsWith('.') && owner === viewer
}

export interface ExchangeFilter {
  filters?: readonly Filter[]
  method?: string | undefined
  path?: string | undefined
  isOwn?: boolean | undefined
  isError?: boolean | undefined
  lacksAssets?: boolean | undefined
  /** No stub responded, and nothing else. */
  isUnmatched?: boolean | undefined
  lacksTestApi?: boolean | undefined
}

export interface ExchangeQuery extends ExchangeFilter {
  before?: string | undefined
  sort?: readonly SortTerm[] | undefined
  offset?: number
  limit: number
}

/** `target` is masked. Otherwise a filter of paths could find out a secret. */
export function isMatch(
  filter: ExchangeFilter,
  exchange: Summary & { owner: Viewer },
  viewer: Viewer,
): boolean {
  const { filters = [], method, path, isOwn, isError, lacksAssets } = filter
  const { isUnmatched, lacksTestApi } = filter
  return (
    (method === undefined || [exchange.method, exchange.effectiveMethod].includes(method)) &&
    (!isOwn || isOwner(exchange.owner, viewer)) &&
    (!isError || (exchange.status ?? 0) >= 400 || exchange.isCutOff) &&
    (!lacksAssets || !/^\/(assets\/|(favicon\.ico|inspector)(\?|$))/.test(exchange.target)) &&
    (!isUnmatched || (exchange.stub === undefined && exchange.status === 404)) &&
    (!lacksTestApi || !/^(\/s\/[^/]+)?\/_vitrine(\/|$)/.test(exchange.target)) &&
    (path === undefined || exchange.target.includes(path)) &&
    toPredicate({ filters }, findMember)(exchange)
  )
}

/** Filters compare times in milliseconds. */
function findMember(exchange: Summary, field: FieldPath): unknown {
  const value = findAt(exchange, field)
  return [field].flat().join() === 'receivedAt' ? String(value).slice(0, 23) + 'Z' : value
}

export function sortExchanges<Item extends Summary>(
  latestFirst: readonly Item[],
  sort: readonly SortTerm[] = [],
): readonly Item[] {
  if (sort.length === 0) return latestFirst
  const found = latestFirst.map((item) => {
    return { item, keys: sort.map(({ field }) => toScalar(findAt(item, field))) }
  })
  return sortFound(found, toCompares(sort)).map(({ item }) => item)
}

/** The texts sort by time. */
export function toCursor({ receivedAt, id }: { receivedAt: string | number; id: string }): string {
  return `${typeof receivedAt === 'string' ? receivedAt : toTimestamp(receivedAt)}_${id}`
}

export function isCursor(text: string): boolean {
  const [time = ''] = text.split('_', 1)
  return time.endsWith('Z') && text.length > time.length && !Number.isNaN(Date.parse(time))
}

/** The time is that of RFC 3339, with microseconds. */
export function toTimestamp(ms: number): string {
  const micros = String(Math.floor((ms % 1) * 1000)).padStart(3, '0')
  return new Date(ms).toISOString().replace('Z', `${micros}Z`)
}
