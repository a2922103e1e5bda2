import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import { serviceUnavailable } from '../errors/http-error.ts'
import { chooseType } from '../negotiation/negotiate.ts'
import { text } from '../openapi/content.ts'
import type { Content, Parameter } from '../openapi/operation.ts'
import { isHttp2 } from '../request/target.ts'
import { isClosed } from './finish-responses.ts'
import { clearTimeout, setTimeout } from '../../timers.ts'

const eventStreamType = 'text/event-stream'

export const eventContent = (example: string): Content => ({
  [eventStreamType]: { example },
})

export const lastEventId: Parameter = {
  name: 'Last-Event-ID',
  in: 'header',
  schema: text,
  description: 'The id of the last event that the client has received.',
  example: '1795341600000',
}

/** In this process: each holds at most 64 KiB and what one read returns. */
const maxEventStreams = 1000
const heartbeatMs = 15_000

let count = 0

type Alarm = ReturnType<typeof createAlarm>

export interface EventSource {
  watch: (wake: () => void) => () => void
  start: () => Promise<{ opening?: string; read: ReadEvents }>
}

type ReadEvents = () => string | undefined | Promise<string | undefined>

export function createStreamSender(app: FastifyInstance) {
  const open = createStreamCount(app)
  return async (request: FastifyRequest, reply: FastifyReply, source: EventSource) => {
    chooseType(request, reply, [eventStreamType])
    reply
      .type(eventStreamType)
      .header('cache-control', 'no-store')
      .header('x-accel-buffering', 'no')
    if (request.method === 'HEAD') return reply.send(Readable.from([]))
    const alarm = open(request, reply, source.watch)
    const { opening = '', read } = await source.start()
    const texts = toTexts(`retry: 1000\n${opening}\n`, read, alarm)
    return reply.send(Readable.from(texts, { objectMode: false }))
  }
}

/** https://html.spec.whatwg.org/multipage/server-sent-events.html: JSON has no line breaks. */
export function toEvent(name: string, id: string | number, value: unknown): string {
  return `event: ${name}\nid: ${String(id)}\ndata: ${JSON.stringify(value)}\n\n`
}

/** A generator reads on only when the client has: a slow one misses events, and is told so. */
async function* toTexts(
  opening: string,
  read: ReadEvents,
  { isStopped, hasRung }: Alarm,
): AsyncGenerator<string> {
  yield opening
  for (;;) {
    // Before the read: after a stop, the events that were made before it are sent too.
    const isOpen = !isStopped()
    const text = await read()
    if (text === undefined) return
    if (text !== '') yield text
    else if (!isOpen) return
    else if (!(await hasRung(heartbeatMs))) yield ':\n\n'
  }
}

export function createStreamCount(app: FastifyInstance) {
  const streams = new Set<Alarm>()
  let isStopping = false
  app.addHook('preClose', (done) => {
    isStopping = true
    for (const { stop } of streams) stop()
    done()
  })
  return ({ raw }: FastifyRequest, reply: FastifyReply, watch: EventSource['watch']): Alarm => {
    if (count >= maxEventStreams) throw serviceUnavailable('Too many event streams are open.')
    const stream = createAlarm()
    const unwatch = watch(stream.ring)
    // The service keeps a connection whose client has ended its half; here that client has gone.
    const socket = isHttp2(raw) ? undefined : raw.socket
    const close = () => {
      if (!streams.delete(stream)) return
      count -= 1
      socket?.off('end', close)
      stream.stop()
      unwatch()
    }
    count += 1
    streams.add(stream)
    socket?.once('end', close)
    reply.raw.once('close', close)
    if (isClosed(reply.raw)) close()
    else if (isStopping) stream.stop()
    return stream
  }
}

function createAlarm() {
  let isStopped = false
  let bell = Promise.withResolvers<boolean>()
  const ring = () => {
    bell.resolve(true)
  }
  return {
    ring,
    stop: () => {
      isStopped = true
      ring()
    },
    isStopped: () => isStopped,
    hasRung: async (ms: number): Promise<boolean> => {
      const timer = setTimeout(bell.resolve, ms, false)
      const hasRung = await bell.promise
      clearTimeout(timer)
      bell = Promise.withResolvers()
      return hasRung
    },
  }
}
