import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isObject } from '../../config/is-object.ts'
import { createEventLog } from '../../events/event-log.ts'
import { createEventSender, toEvent } from '../../events/send-events.ts'
import { createStreamCount } from '../../events/stream-count.ts'
import { renderExchange } from '../../exchanges/list-view.ts'
import type { Change, ChangeLog, ChangePart } from '../../stores/records/records.ts'
import { binIdLength } from './bin-ids.ts'
import type { BinStore } from './bin-store.ts'
import { toCaptured, toShortId, toRow, toSummary, toRequestPath } from './captured-request.ts'
import type { CapturedRequest } from './captured-request.ts'
import { binCollections } from './collections.ts'
import { hasMatch, type RequestPages, type RequestSearch } from './search.ts'
import { performance } from '../../timers.ts'

export type BinEvents = Awaited<ReturnType<typeof openBinEvents>>

const checkMs = 10_000

interface Wait {
  bin: string
  list: RequestSearch & { waitSeconds: number }
  readPages: () => RequestPages
}

export async function openBinEvents(app: FastifyInstance, changes: ChangeLog, bins: BinStore) {
  await changes.start(binCollections.requests)
  const log = createEventLog(changes, binCollections.requests, toBinEvents)
  const sendEvents = createEventSender(app)
  const open = createStreamCount(app)
  return {
    findLast: log.findLast,
    send: (
      request: FastifyRequest,
      reply: FastifyReply,
      search: RequestSearch & { bin: string },
    ) => {
      const hasRows = isObject(request.query) && request.query.rows === 'html'
      return sendEvents(request, reply, { log, toText: createEventRenderer(bins, search, hasRows) })
    },
    wait: async (reply: FastifyReply, { bin, list, readPages }: Wait): Promise<void> => {
      const endsAt = performance.now() + list.waitSeconds * 1000
      const stream = open(reply.request, reply, log.watch)
      let position = await log.findLast()
      let isFound = await hasMatch(readPages(), list)
      while (!isFound) {
        const { part, last } = await log.read(position)
        const own = [part?.events.get(bin)?.all.flatMap(({ request }) => request ?? []) ?? []]
        isFound = await hasMatch(part?.gap === undefined ? own : readPages(), list)
        const rest = endsAt - performance.now()
        if (rest <= 0 || stream.isStopped()) return
        if (last === position) await stream.hasRung(rest)
        position = last
      }
    },
  }
}

function createEventRenderer(
  bins: BinStore,
  { bin, isMatch }: RequestSearch & { bin: string },
  hasRows: boolean,
) {
  let after: string | undefined
  let checkAt = 0
  let isGone = false
  return async ({ events, gap }: ReturnType<typeof toBinEvents>) => {
    const own = events.get(bin)
    // It can also expire, or be removed without requests.
    if (isGone || own?.isRemoval === true || performance.now() >= checkAt) {
      // While the store fails, it may still be there.
      const wasGone = isGone
      isGone = !(await bins.has(bin).catch(() => true))
      if (isGone) return hasRows && !wasGone ? toEvent('gone', 0, {}) : undefined
      checkAt = performance.now() + checkMs
    }
    if (gap !== undefined && hasRows) return toEvent('missed', gap, { count: 1 })
    // The first request that a slow client missed follows this one.
    if (gap !== undefined) return toEvent('reset', gap, { after })
    after = own?.captured.at(-1)?.id ?? after
    let text = ''
    for (const one of own?.all ?? [])
      if (!one.request || (await isMatch(one.request))) text += hasRows ? one.toRow() : one.text
    return text
  }
}

function toBinEvents({ changes, last, hasGap }: ChangePart) {
  const groups = Map.groupBy(changes, ({ id }) => id.slice(0, binIdLength))
  const events = new Map([...groups].map(([bin, own]) => [bin, toEventsOf(bin, own)] as const))
  return { events, gap: hasGap ? last : undefined }
}

function toEventsOf(bin: string, changes: readonly Change[]) {
  const all = changes.map((change) => toBinEvent(bin, change))
  return {
    isRemoval: changes.some(({ kind }) => kind === 'deleted'),
    // The id of one that was corrected later would lead back to it.
    captured: all.flatMap(({ request, isNew }) => (isNew && request) || []),
    all,
  }
}

function toBinEvent(bin: string, { kind, number, id, record }: Change) {
  const request = record && toCaptured(record)
  const removal = kind === 'deleted' ? toEvent(kind, number, { id: toShortId(id) }) : ''
  const text = request ? toEvent(kind, number, toSummary(request)) : removal
  let row: string | undefined
  return {
    request,
    isNew: kind === 'created',
    /** It is empty if the request has been removed since. */
    text,
    /** Each row is rendered once for the page of the bin, if it is open. */
    toRow: () => (row ??= request ? toRowEvent(bin, number, request) : text),
  }
}

function toRowEvent(bin: string, number: number, request: CapturedRequest): string {
  const exchange = toRow(request)
  const row = { html: renderExchange(exchange, toRequestPath(bin)).markup, earlier: [] }
  return toEvent('exchange', number, { id: exchange.id, ...row })
}
