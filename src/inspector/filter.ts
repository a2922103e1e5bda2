import type { ExchangeSummary } from './exchange.ts'

/** The owner that `toOwner` returns: undefined without a session and a key. */
export type Viewer = string | undefined

export interface ExchangeFilter {
  method?: string | undefined
  status?: string | undefined
  path?: string | undefined
  client?: string | undefined
  isOwn?: boolean | undefined
  isError?: boolean | undefined
  /** Without what the pages of the service load, and without the page of the inspector. */
  lacksAssets?: boolean | undefined
}

export interface ExchangeQuery extends ExchangeFilter {
  before?: string | undefined
  limit: number
}

type Filtered = Pick<
  ExchangeSummary,
  'method' | 'effectiveMethod' | 'status' | 'client' | 'isCutOff' | 'target'
> & { owner: Viewer }

/** `target` is masked. Otherwise a filter of paths could find out a secret. */
export function isMatch(filter: ExchangeFilter, exchange: Filtered, viewer: Viewer): boolean {
  const { method, status, path, client, isOwn, isError, lacksAssets } = filter
  const given = exchange.status ?? 0
  return (
    (method === undefined || [exchange.method, exchange.effectiveMethod].includes(method)) &&
    (status === undefined || isStatusMatch(status, String(given))) &&
    (client === undefined || exchange.client === client) &&
    (!isOwn || (viewer !== undefined && exchange.owner === viewer)) &&
    (!isError || given >= 400 || exchange.isCutOff) &&
    (!lacksAssets || !/^\/(assets\/|(favicon\.ico|inspector)(\?|$))/.test(exchange.target)) &&
    (path === undefined || exchange.target.includes(path))
  )
}

export const statusPattern = '^[1-5](xx|\\d\\d)$'

export function isStatusMatch(pattern: string, status: string): boolean {
  return Array.from(pattern, (one, index) => one === 'x' || one === status[index]).every(Boolean)
}

export function toCursor({ receivedAt, id }: { receivedAt: string | number; id: string }): string {
  return `${typeof receivedAt === 'string' ? receivedAt : toTimestamp(receivedAt)}_${id}`
}

/** RFC 3339, with microseconds. */
export function toTimestamp(ms: number): string {
  const micros = String(Math.floor((ms % 1) * 1000)).padStart(3, '0')
  return new Date(ms).toISOString().replace('Z', `${micros}Z`)
}
