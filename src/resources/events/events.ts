import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { unknownParameter } from '../../http/errors/http-error.ts'
import type { Route } from '../../http/openapi/route.ts'
import { isObject } from '../../http/request/parameters.ts'
import { createStreamSender, eventContent } from '../../http/response/event-stream.ts'
import { lastEventId, toEvent } from '../../http/response/event-stream.ts'
import type { Change, ChangeLog, ChangePart } from '../../stores/records/records.ts'
import { StoreFailure } from '../../stores/store-failure.ts'
import type { Resource } from '../definition.ts'
import { toRepresentation } from '../record/representations.ts'
import { parseId } from '../write/create-numbered.ts'

const lastIdParameter = 'last_event_id'

export async function getEvents(
  app: FastifyInstance,
  resource: Resource,
  changes: ChangeLog,
): Promise<Route> {
  await changes.start(resource.name)
  const reader = createEventReader(changes, resource.name, ({ changes: latest, last, hasGap }) =>
    hasGap
      ? toEvent('reset', last, {})
      : latest.map((change) => changeToEvent(resource, change)).join(''),
  )
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
    errors: [400, 406, 503],
    store: 'reads',
    config: { defaultType: 'json' },
    handler: (request, reply) => {
      const { query } = request
      const unknown = Object.keys(isObject(query) ? query : {}).find(
        (name) => name !== lastIdParameter,
      )
      if (unknown !== undefined)
        throw unknownParameter(`The stream has no parameter ${unknown}: it has all changes.`)
      return sendEvents(request, reply, String)
    },
  }
}

function changeToEvent(resource: Resource, { kind, number, id, record }: Change): string {
  const shown = record
    ? toRepresentation(resource, record)
    : { [resource.idName]: parseId(resource, id) }
  return toEvent(kind, number, shown)
}

type EventReader<Content> = ReturnType<typeof createEventReader<Content>>

/** Reads each part of the changes of a collection once for all streams that wait for it. */
export function createEventReader<Content>(
  { read, watch }: ChangeLog,
  collection: string,
  toContent: (part: ChangePart) => Content,
) {
  const load = async (after: number) => {
    try {
      const part = await read(collection, after)
      return { content: toContent(part), last: part.last }
    } catch (error) {
      if (error instanceof StoreFailure) return { content: undefined, last: after }
      throw error
    }
  }
  const parts = new Map<number, ReturnType<typeof load>>()
  return {
    findLast: async () => (await read(collection)).last,
    watch: (wake: () => void) =>
      watch(() => {
        // A part that is being read may be older than the change.
        parts.clear()
        wake()
      }),
    /** The number to read on from is `last`. Without content, the store is unavailable. */
    read: (after: number) => {
      const known = parts.get(after)
      if (known) return known
      const part = load(after)
      const forget = () => parts.delete(after)
      part.then(forget, forget)
      parts.set(after, part)
      return part
    },
  }
}

/** `toText` gives the events of one stream, or undefined to end it. */
export function createEventSender<Content>(app: FastifyInstance, reader: EventReader<Content>) {
  const send = createStreamSender(app)
  type ToText = (content: Content) => string | undefined | Promise<string | undefined>
  return (request: FastifyRequest, reply: FastifyReply, toText: ToText) =>
    send(request, reply, {
      watch: reader.watch,
      start: async () => {
        let position = findPosition(request) ?? (await reader.findLast())
        const read = async () => {
          for (;;) {
            const { content, last } = await reader.read(position)
            const text = content === undefined ? '' : await toText(content)
            const isEnd = last === position
            position = last
            if (text !== '' || isEnd) return text
          }
        }
        // With an id, a client that is disconnected before the first change misses none.
        return { read, ...(position >= 0 && { opening: `id: ${String(position)}\n` }) }
      },
    })
}

/** An unknown id gets a reset. A browser cannot choose the header of its first request. */
function findPosition({ headers, query }: FastifyRequest): number | undefined {
  const given = headers['last-event-id'] ?? (isObject(query) ? query[lastIdParameter] : undefined)
  if (given === undefined) return undefined
  return typeof given === 'string' && /^\d{1,15}$/.test(given) ? Number(given) : -1
}
