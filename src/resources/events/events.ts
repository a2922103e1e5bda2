import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import { chooseType } from '../../http/negotiation/negotiate.ts'
import type { Content, Parameter } from '../../http/openapi/operation.ts'
import type { Route } from '../../http/openapi/route.ts'
import type { ChangeLog } from '../../stores/records/records.ts'
import type { Resource } from '../definition.ts'
import { createEventReader, toResourceEvents, type EventReader } from './event-text.ts'
import { createStreamCount, type OpenStream } from './open-streams.ts'

const heartbeatMs = 15_000
const mediaType = 'text/event-stream'

export const eventContent = (example: string): Content => ({
  [mediaType]: { schema: { type: 'string' }, example },
})

export const lastEventId: Parameter = {
  name: 'Last-Event-ID',
  in: 'header',
  schema: { type: 'string' },
  description: 'The id of the last event that the client has received.',
  example: '1795341600000',
}

export async function eventsRoute(
  app: FastifyInstance,
  resource: Resource,
  changes: ChangeLog,
): Promise<Route> {
  await changes.start(resource.name)
  const reader = createEventReader(changes, resource.name, toResourceEvents(resource))
  const sendEvents = createEventSender(app, reader)
  return {
    method: 'GET',
    url: `${resource.path}/events`,
    summary: `Stream the changes of ${resource.name}`,
    description:
      'Server-sent events: `created` and `changed` with the record, `deleted` with its id, and `reset` if changes are missing: read the list again. `Last-Event-ID` resumes after one of the last 1,000 changes.',
    file: 'src/resources/events/events.ts',
    content: eventContent('event: created\nid: 1795341600001\ndata: {"id":1}\n\n'),
    parameters: [lastEventId],
    errors: [406, 503],
    store: 'reads',
    config: { defaultType: 'json' },
    handler: (request, reply) => sendEvents(request, reply, String),
  }
}

/** `toText` gives the events of one stream. */
export function createEventSender<Content>(app: FastifyInstance, reader: EventReader<Content>) {
  const open = createStreamCount(app)
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    toText: (content: Content) => string,
  ) => {
    chooseType(request, reply, [mediaType])
    // Fastify would read the whole stream for a HEAD.
    if (request.method === 'HEAD') return reply.type(mediaType).send(Readable.from([]))
    const stream = open(request, reply, reader.watch)
    const position = findPosition(request) ?? (await reader.findLast())
    reply.type(mediaType).header('cache-control', 'no-store').header('x-accel-buffering', 'no')
    const read = async (after: number) => {
      const { content, last } = await reader.read(after)
      return { text: content === undefined ? '' : toText(content), last }
    }
    return reply.send(Readable.from(toEvents(read, stream, position), { objectMode: false }))
  }
}

/** An unknown id gets a reset. */
function findPosition({ headers }: FastifyRequest): number | undefined {
  const given = headers['last-event-id']
  if (given === undefined) return undefined
  return /^\d{1,15}$/.test(String(given)) ? Number(given) : -1
}

/** A generator reads on only when the client has: a slow one misses changes and gets a reset. */
async function* toEvents(
  read: (after: number) => Promise<{ text: string; last: number }>,
  stream: OpenStream,
  position: number,
): AsyncGenerator<string> {
  // With an id, a client that is disconnected before the first change misses none.
  yield position < 0 ? 'retry: 1000\n\n' : `retry: 1000\nid: ${String(position)}\n\n`
  let last = position
  for (;;) {
    // Before the read: after a stop, the changes that were made before it are sent too.
    const isOpen = !stream.isStopped()
    const part = await read(last)
    const isLast = part.last === last
    last = part.last
    if (part.text !== '') yield part.text
    else if (!isLast) continue
    else if (!isOpen) return
    else if (!(await stream.hasRung(heartbeatMs))) yield ':\n\n'
  }
}
