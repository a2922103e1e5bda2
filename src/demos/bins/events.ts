import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createStreamCount, toEvent } from '../../http/response/event-stream.ts'
import { createEventReader } from '../../resources/events/event-text.ts'
import { createEventSender } from '../../resources/events/events.ts'
import type { ChangeLog, ChangePart } from '../../stores/records/records.ts'
import { binIdLength } from './bin-ids.ts'
import { toCapturedRequest, toSummary, type CapturedRequest } from './captured-request.ts'
import { collectionNames } from './collections.ts'
import type { RequestList } from './parse-list.ts'

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
    send: (request: FastifyRequest, reply: FastifyReply, bin: string) => {
      let after: string | undefined
      return sendEvents(request, reply, ({ events, gap }) => {
        // Of what a slow client missed, the first follows this request.
        if (gap !== undefined) return toEvent('reset', gap, { after })
        const { text, last } = events.get(bin) ?? { text: '' }
        after = last ?? after
        return text
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

interface EventsOfBin {
  text: string
  /** The id of the last captured request. */
  last?: string
}

function toBinEvents({ changes, last, hasGap }: ChangePart) {
  const events = new Map<string, EventsOfBin>()
  for (const { kind, number, id, record } of changes) {
    const bin = id.slice(0, binIdLength)
    const known = events.get(bin) ?? { text: '' }
    if (kind === 'deleted') {
      const removed = { id: id.slice(binIdLength + 1) }
      events.set(bin, { ...known, text: known.text + toEvent(kind, number, removed) })
    } else if (record) {
      const summary = toSummary(toCapturedRequest(record))
      const text = known.text + toEvent(kind, number, summary)
      events.set(bin, { text, last: summary.id })
    }
  }
  return { events, gap: hasGap ? last : undefined }
}
