import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import { isObject } from '../config/is-object.ts'
import { chooseType } from '../http/negotiation/negotiate.ts'
import { text } from '../http/openapi/content.ts'
import type { Content, Parameter } from '../http/openapi/operation.ts'
import type { EventLog } from './event-log.ts'
import { createStreamCount, type Alarm } from './stream-count.ts'

const eventStreamType = 'text/event-stream'

export const eventContent = (example: string): Content => ({ [eventStreamType]: { example } })

export const lastEventId: Parameter = {
  name: 'Last-Event-ID',
  in: 'header',
  schema: text,
  description: 'The id of the last event that the client has received.',
  example: '1795341600000',
}

const heartbeatMs = 15_000

export interface EventStream<LogPart> {
  log: EventLog<LogPart>
  /** Runs when the log is watched. The default is the position in Last-Event-ID, or the end of the log. */
  start?: () => Promise<Start<LogPart>>
  /** The events of a part; undefined ends the stream. */
  toText: (part: LogPart) => string | undefined | Promise<string | undefined>
}

interface Start<LogPart> {
  position: number
  opening?: string
  earlier?: readonly LogPart[]
}

export function createEventSender(app: FastifyInstance) {
  const open = createStreamCount(app)
  return async <LogPart>(
    request: FastifyRequest,
    reply: FastifyReply,
    stream: EventStream<LogPart>,
  ) => {
    chooseType(request, reply, [eventStreamType])
    reply
      .type(eventStreamType)
      .header('cache-control', 'no-store')
      .header('x-accel-buffering', 'no')
    if (request.method === 'HEAD') return reply.send(Readable.from([]))
    const alarm = open(request, reply, stream.log.watch)
    const start = await (stream.start?.() ?? findStart(request, stream.log))
    return reply.send(Readable.from(toTexts(stream, start, alarm), { objectMode: false }))
  }
}

/** https://html.spec.whatwg.org/multipage/server-sent-events.html: JSON has no line breaks. */
export function toEvent(name: string, id: string | number, value: unknown): string {
  return `event: ${name}\nid: ${String(id)}\ndata: ${JSON.stringify(value)}\n\n`
}

/** A browser cannot choose the header of its first request. */
export const lastIdParameter = 'last_event_id'

async function findStart<LogPart>(
  { headers, query }: FastifyRequest,
  { findLast }: EventLog<LogPart>,
) {
  const given = headers['last-event-id'] ?? (isObject(query) ? query[lastIdParameter] : undefined)
  // An unknown id gets a reset, because no log has changes after this number.
  const known = typeof given === 'string' && /^\d{1,15}$/.test(given) ? Number(given) : -1
  const position = given === undefined ? await findLast() : known
  // With an id, a client that is disconnected before the first change misses none.
  return { position, ...(position >= 0 && { opening: `id: ${String(position)}\n` }) }
}

/** A generator reads on only when the client has: a slow one misses events, and is told so. */
async function* toTexts<LogPart>(
  { log, toText }: EventStream<LogPart>,
  { position, opening = '', earlier = [] }: Start<LogPart>,
  { isStopped, hasRung }: Alarm,
): AsyncGenerator<string> {
  yield `retry: 1000\n${opening}\n`
  for (const part of earlier) yield (await toText(part)) ?? ''
  for (;;) {
    // It is asked before the read: after a stop, the events that were made before it are sent too.
    const isOpen = !isStopped()
    const { part, last } = await log.read(position)
    const text = part === undefined ? '' : await toText(part)
    if (text === undefined) return
    const isEnd = last === position
    position = last
    if (text !== '') yield text
    else if (!isEnd) continue
    else if (!isOpen) return
    else if (!(await hasRung(heartbeatMs))) yield ':\n\n'
  }
}
