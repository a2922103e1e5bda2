import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createStreamCount, toEvent } from '../../http/response/event-stream.ts'
import { isObject } from '../../http/request/parameters.ts'
import { renderRow } from '../../inspector/list-view.ts'
import { createEventReader } from '../../resources/events/event-text.ts'
import { createEventSender } from '../../resources/events/events.ts'
import type { Change, ChangeLog, ChangePart } from '../../stores/records/records.ts'
import { binIdLength } from './bin-ids.ts'
import { toCapturedRequest, toRow, toSummary, type CapturedRequest } from './captured-request.ts'
import { collectionNames } from './collections.ts'
import type { RequestList } from './parse-list.ts'
import { toUrl } from './views.ts'

export type BinEvents = Awaited<ReturnType<typeof openBinEvents>>

interface Wait {
  bin: string
  list: RequestList
  find: () => AsyncIterable<readonly CapturedRequest[]>
}

/** The events of all bins, read from the log of changes once for all that wait for them. */
export async function openBinEvents(app: FastifyInstance, changes: ChangeLog) {
  await changes.start(collectionNames.requests)
  const reader = createEventReader(changes, collectionNames.requests, toBinEvents)
  const sendEvents = createEventSender(app, reader)
  const open = createStreamCount(app)
  return {
    findLast: reader.findLast,
    send: (request: FastifyRequest, reply: FastifyReply, bin: string) => {
      const hasRows = isObject(request.query) && request.query.rows === 'html'
      let after: string | undefined
      return sendEvents(request, reply, ({ events, gap }) => {
        if (gap !== undefined && hasRows) return toEvent('missed', gap, { count: 1 })
        // Of what a slow client missed, the first follows this request.
        if (gap !== undefined) return toEvent('reset', gap, { after })
        const own = events.get(bin)
        after = own?.last ?? after
        return (hasRows ? own?.toRows() : own?.text) ?? ''
      })
    },
    /** Until a request matches, the time is over, or the client has gone. */
    wait: async (reply: FastifyReply, { bin, list, find }: Wait): Promise<void> => {
      const endsAt = performance.now() + list.waitSeconds * 1000
      const stream = open(reply.request, reply, reader.watch)
      let position = await reader.findLast()
      while (!(await hasAny(find()))) {
        for (let isNew = false; !isNew;) {
          const { content, last } = await reader.read(position)
          isNew = content !== undefined && (content.gap !== undefined || content.events.has(bin))
          const rest = endsAt - performance.now()
          if (rest <= 0 || stream.isStopped()) return
          if (last === position) await stream.hasRung(rest)
          position = last
        }
      }
    },
  }
}

async function hasAny(pages: AsyncIterable<readonly unknown[]>): Promise<boolean> {
  for await (const page of pages) if (page.length > 0) return true
  return false
}

function toBinEvents({ changes, last, hasGap }: ChangePart) {
  const groups = Map.groupBy(changes, ({ id }) => id.slice(0, binIdLength))
  const events = new Map([...groups].map(([bin, own]) => [bin, toEventsOf(bin, own)] as const))
  return { events, gap: hasGap ? last : undefined }
}

function toEventsOf(bin: string, changes: readonly Change[]) {
  const texts = changes.map(({ kind, number, id, record }) =>
    toEvent(
      kind,
      number,
      record ? toSummary(toCapturedRequest(record)) : { id: id.slice(binIdLength + 1) },
    ),
  )
  const captured = changes.filter(({ record }) => record !== undefined)
  let rows: string | undefined
  return {
    text: texts.join(''),
    /** For the page of the bin: rendered once, if it is open. */
    toRows: () => (rows ??= captured.map((change) => toRowEvent(bin, change)).join('')),
    last: captured.at(-1)?.id.slice(binIdLength + 1),
  }
}

function toRowEvent(bin: string, { number, record }: Change): string {
  if (!record) return ''
  const exchange = toRow(toCapturedRequest(record))
  const row = { html: renderRow(exchange, toUrl(bin)).markup, earlier: [] }
  return toEvent('exchange', number, { id: exchange.id, ...row })
}
