import type { FastifyReply, FastifyRequest } from 'fastify'
import { randomUUID } from 'node:crypto'
import type { Config } from '../config/config.ts'
import type { FinishedResponse } from '../http/response/finish-responses.ts'
import type { Exchange, ExchangeSummary } from './exchange.ts'
import { isMatch, toCursor, type ExchangeQuery, type Viewer } from './filter.ts'
import { toOwner } from './owner.ts'
import { toExchange, toExchangeId, toRecorded, toSummary, type Recorded } from './recorded.ts'
import { createRing } from './ring.ts'

export interface Search extends ExchangeQuery {
  id?: string
  requestId?: string
}

/** New exchanges of a process since the number that was given for it. */
export interface News {
  processId: string
  next: number
  missed: number
  summaries: readonly (ExchangeSummary & { owner: Viewer })[]
}

export type ExchangeLog = ReturnType<typeof createExchangeLog>

type LogConfig = Pick<Config, 'inspector' | 'inspectorMaxExchanges' | 'inspectorMaxBytes'>

/** The exchanges of this process. */
export function createExchangeLog(config: LogConfig) {
  const { inspector: mode } = config
  const processId = randomUUID()
  const ring = createRing<Recorded>(config.inspectorMaxExchanges, config.inspectorMaxBytes)
  /** Without an owner it is visible to those who know its random id. */
  const isVisible = ({ owner }: Recorded, viewer: Viewer, isKnown: boolean): boolean =>
    mode === 'all' || (owner === undefined ? isKnown : owner === viewer)
  /** The latest first. */
  const search = (query: Search, viewer: Viewer): readonly Recorded[] => {
    const { id, requestId, before, limit } = query
    const isKnown = id !== undefined || requestId !== undefined
    return ring
      .list()
      .filter(
        (recorded) =>
          (id === undefined || recorded.id === id) &&
          (requestId === undefined || recorded.requestId === requestId) &&
          (before === undefined || toCursor(recorded) < before) &&
          isVisible(recorded, viewer, isKnown) &&
          isMatch(query, recorded, viewer),
      )
      .toSorted((one, other) => (toCursor(one) < toCursor(other) ? 1 : -1))
      .slice(0, limit)
  }
  return {
    mode,
    /** Whether to record the exchange. If so, its id is sent to browsers. */
    begin: (request: FastifyRequest, reply: FastifyReply): boolean => {
      if (mode === 'off') return false
      const { accept, referer, 'sec-fetch-site': site } = request.headers
      const isBrowser = (site ?? referer) !== undefined || accept?.includes('text/html') === true
      const isOfInspector = request.url.startsWith('/inspector')
      if (isOfInspector && !(isBrowser && request.url === '/inspector')) return false
      // Scripts can read Server-Timing of their own page, also after a 304.
      if (isBrowser) reply.header('server-timing', `exchange;desc="${toExchangeId(request)}"`)
      return isBrowser || mode === 'all' || toOwner(request) !== undefined
    },
    record: (request: FastifyRequest, reply: FastifyReply, end: FinishedResponse): void => {
      ring.add(toRecorded(request, reply, end))
    },
    findWhole: (query: Search, viewer: Viewer): readonly Exchange[] =>
      search(query, viewer).map((recorded) => toExchange(recorded, viewer)),
    findSummaries: (query: Search, viewer: Viewer): readonly ExchangeSummary[] =>
      search(query, viewer).map((recorded) => toSummary(recorded, viewer)),
    clear: (viewer: Viewer): void => {
      ring.remove((recorded) => isVisible(recorded, viewer, false))
    },
    readNews: (numbers: Readonly<Record<string, number>>, limit: number): News => {
      const { items, ...rest } = ring.readFrom(numbers[processId], limit)
      const summaries = items.map((recorded) => ({
        ...toSummary(recorded, undefined),
        owner: recorded.owner,
      }))
      return { processId, ...rest, summaries }
    },
  }
}

/** RFC 9111 §3: a shared cache would send the exchange id to other clients. */
export function cachePublicly(reply: FastifyReply, seconds: number): void {
  reply.header('cache-control', `public, max-age=${String(seconds)}`)
  reply.removeHeader('server-timing').removeHeader('x-request-id')
}
