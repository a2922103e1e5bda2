import type { FastifyReply, FastifyRequest } from 'fastify'
import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { XStatic } from 'typebox/schema'
import type { Config } from '../../config/config.ts'
import { maxExchanges } from '../../config/limits.ts'
import { beginRecording, endRecording, type ByteBudget } from '../../http/recording.ts'
import { text } from '../../http/openapi/content.ts'
import type { Loose } from '../../http/openapi/json-schema.ts'
import type { FinishedResponse } from '../../http/response/observe-response.ts'
import { takeTurn } from '../../http/turns.ts'
import { nextTurn } from '../../timers.ts'
import { summarySchema, type Exchange } from '../../exchanges/exchange.ts'
import type { RecordedBytes } from '../../exchanges/to-body.ts'
import {
  isMatch,
  isOwner,
  isSameSandbox,
  sortExchanges,
  toCursor,
  toSandbox,
  type ExchangeQuery,
  type Viewer,
} from './filter.ts'
import { hashOwner } from './owner.ts'
import { toEntry, toExchangeId, readReceivedAt, toRecorded, type Recorded } from './recorded.ts'
import { createSlabs } from './slabs.ts'
import { recordedToExchange, recordedToSummary } from './to-exchange.ts'

export interface ExchangeSearch extends Omit<ExchangeQuery, 'limit'> {
  limit?: number | undefined
  id?: string
  requestId?: string
}

export type News = Loose<XStatic<typeof newsSchema>>
export const newsSchema = {
  type: 'object',
  required: ['processId', 'next', 'missed', 'summaries'],
  properties: {
    processId: text,
    next: { type: 'integer' },
    missed: { type: 'integer', minimum: 0 },
    summaries: {
      type: 'array',
      items: { ...summarySchema, properties: { ...summarySchema.properties, owner: text } },
    },
  },
} as const

export interface NewsQuery {
  numbers: Readonly<Record<string, number>>
  /** Milliseconds since 1970, for processes that have not: they may have started meanwhile. */
  since: number
  viewers: readonly string[]
}

declare module 'fastify' {
  interface FastifyInstance {
    exchangeLog: ExchangeLog
  }
}

export type ExchangeLog = ReturnType<typeof createExchangeLog>

type LogConfig = Pick<Config, 'inspector' | 'preset' | 'inspectorMaxBytes'>

const bytesOfExchange = 32 * 1024

export function createExchangeLog({ inspector: mode, preset, inspectorMaxBytes }: LogConfig) {
  const clearsAll = mode === 'all' && preset !== 'public'
  const processId = randomUUID()
  const capacity = Math.min(Math.floor(inspectorMaxBytes / bytesOfExchange), maxExchanges)
  // The rest is for bodies of exchanges that are not over.
  const slabs = createSlabs(capacity, 0.75 * inspectorMaxBytes)
  const budget = createBudget(0.25 * inspectorMaxBytes)
  /** Returns undefined also if the text does not contain the key. */
  const read = (number: number, key = ''): Recorded | undefined => {
    const stored = slabs.read(number)
    return stored?.text.includes(key) ? toRecorded(stored) : undefined
  }
  const toAt = (number: number) => readReceivedAt((index) => slabs.readNumber(number, index))
  const search = createSearch(mode, (key, end) =>
    Array.from(slabs.list(), (number) => ({ number, at: toAt(number) }))
      .filter(({ at }) => at < end)
      // A process does not receive two requests in the same microsecond.
      .toSorted((one, other) => other.at - one.at)
      .values()
      .map(({ number }) => read(number, key))
      .filter((recorded) => recorded !== undefined),
  )
  const watchers = new Set<() => void>()
  let cleared = 0
  return {
    mode,
    removed: () => slabs.removed() - cleared,
    clearsAll,
    begin: (raw: IncomingMessage): void => {
      if (mode !== 'off' && isRecorded(raw, mode)) beginRecording(raw, budget)
    },
    /** When the route is known. Scripts can read Server-Timing of their own page, also after a 304. */
    route: (request: FastifyRequest, reply: FastifyReply): void => {
      if (request.routeOptions.config.isUnrecorded) endRecording(request.raw)
      else if (isOfBrowser(request.headers))
        reply.header('server-timing', `exchange;desc="${toExchangeId(request)}"`)
    },
    record: (request: FastifyRequest, reply: FastifyReply, response: FinishedResponse): void => {
      const { recording } = request.raw
      if (recording === undefined) return
      const owner = hashOwner(request, reply.getHeader('set-cookie'))
      const isOfViewer = mode === 'all' || owner !== undefined || isOfBrowser(request.headers)
      if (isOfViewer) slabs.add(toEntry(request, reply, { recording, response, owner }))
      else endRecording(request.raw)
      for (const wake of watchers) wake()
    },
    watch: (wake: () => void) => {
      watchers.add(wake)
      return () => watchers.delete(wake)
    },
    findWhole: async (query: ExchangeSearch, viewer: Viewer): Promise<readonly Exchange[]> => {
      const found: Exchange[] = []
      // Other exchanges can replace the found ones during a turn, so their bodies are copied.
      for (const recorded of await search(query, viewer, copyBodies))
        found.push(
          await takeTurn('masking of exchanges', () => recordedToExchange(recorded, viewer)),
        )
      return found
    },
    /** The latest first, of this process, and not masked. */
    findReceived: (query: ExchangeSearch, viewer: Viewer) => search(query, viewer, copyBodies),
    findSummaries: async ({ sort = [], limit, ...query }: ExchangeSearch, viewer: Viewer) => {
      const wanted = { ...query, limit: sort.length === 0 ? limit : Infinity }
      const found = await search(wanted, viewer, (recorded) => recordedToSummary(recorded, viewer))
      return sortExchanges(found, sort).slice(0, limit)
    },
    clear: (viewer: Viewer): void => {
      if (clearsAll) cleared = slabs.removed()
      const isSeen = clearsAll ? isSameSandbox : isOwner
      for (const number of slabs.list()) if (isSeen(read(number)?.owner, viewer)) slabs.drop(number)
    },
    readNews: ({ numbers, since, viewers }: NewsQuery, limit: number): News => {
      const next = slabs.next()
      const from = numbers[processId]
      const start = Math.max(from ?? 0, next - limit)
      const found = Array.from(slabs.list().take(limit))
        .filter((number) => number >= start)
        .flatMap((number) => read(number) ?? [])
        .filter(({ receivedAt }) => from !== undefined || receivedAt >= since)
      const summaries = found.flatMap((recorded) => {
        const owner = viewers.find((viewer) => viewer === recorded.owner)
        if (mode === 'own' && owner === undefined) return []
        return {
          ...recordedToSummary(recorded, undefined),
          owner: owner ?? toSandbox(recorded.owner),
        }
      })
      const missed = from === undefined ? 0 : start - from
      return { processId, next, missed, summaries }
    },
  }
}

/** After this number of exchanges, a search lets other requests have their turn. */
const searchedPerTurn = 20

function createSearch(
  mode: LogConfig['inspector'],
  readBefore: (key: string | undefined, end: number) => IteratorObject<Recorded>,
) {
  /** An exchange without an owner is visible to those who know its random id. */
  const isVisible = (owner: Viewer, viewer: Viewer, isKnown: boolean): boolean =>
    isSameSandbox(owner, viewer) &&
    (mode === 'all' || (owner === toSandbox(owner) ? isKnown : owner === viewer))
  /** The latest item comes first. Bodies are valid until the next exchange is recorded, so `toItem` copies them. */
  return async <Item>(
    query: ExchangeSearch,
    viewer: Viewer,
    toItem: (recorded: Recorded) => Item,
  ) => {
    const { id, requestId, before, limit = Infinity } = query
    const key = id ?? requestId
    const isFound = (recorded: Recorded) =>
      (id === undefined || recorded.id === id) &&
      (requestId === undefined || recorded.requestId === requestId) &&
      (before === undefined || toCursor(recorded) < before) &&
      isVisible(recorded.owner, viewer, key !== undefined) &&
      isMatch(query, { ...recordedToSummary(recorded, viewer), owner: recorded.owner }, viewer)
    const end = before === undefined ? Infinity : toEndOf(before)
    const found: Item[] = []
    let searched = 0
    for (const recorded of readBefore(key, end)) {
      if (isFound(recorded)) found.push(toItem(recorded))
      if (found.length >= limit) break
      searched += 1
      if (searched % searchedPerTurn === 0) await nextTurn()
    }
    return found
  }
}

/** The end of the millisecond of a cursor. */
const toEndOf = (before: string) => Date.parse(before.slice(0, before.indexOf('_'))) + 1

function copyBodies(recorded: Recorded): Recorded {
  const copy = (body: RecordedBytes | undefined) =>
    body && { ...body, bytes: Buffer.from(body.bytes) }
  return { ...recorded, received: copy(recorded.received), sent: copy(recorded.sent) }
}

function createBudget(maxBytes: number): ByteBudget {
  let bytes = 0
  return {
    reserve: (added) => {
      const fits = bytes + added <= maxBytes
      if (fits) bytes += added
      return fits
    },
    release: (reserved) => {
      bytes -= reserved
    },
  }
}

function isRecorded({ url = '', headers }: IncomingMessage, mode: 'all' | 'own'): boolean {
  // Only the page itself has a panel with its exchange.
  const [base = '', path = ''] = /^(\/s\/[\w-]+(?=\/))?(.*)$/s.exec(url)?.slice(1) ?? []
  if (/^\/inspector(?![^/.?])/.test(path)) return path === '/inspector' && isOfBrowser(headers)
  if (mode === 'all' || base !== '') return true
  const { cookie, 'x-inspector': secret, 'x-sandbox': key } = headers
  return (cookie ?? secret ?? key) !== undefined || isOfBrowser(headers)
}

function isOfBrowser(headers: IncomingHttpHeaders): boolean {
  const { accept, origin, referer, 'sec-fetch-site': site } = headers
  // The frames of lessons have the origin null, and over plain HTTP no Sec-Fetch-Site.
  return (
    origin === 'null' || (site ?? referer) !== undefined || accept?.includes('text/html') === true
  )
}
