import type { FastifyInstance } from 'fastify'
import { isObject } from '../../config/is-object.ts'
import { createEventLog } from '../../events/event-log.ts'
import {
  createEventSender,
  eventContent,
  lastEventId,
  lastIdParameter,
  toEvent,
} from '../../events/send-events.ts'
import { unknownParameter } from '../../http/errors/http-error.ts'
import type { Route } from '../../http/openapi/route.ts'
import type { Change, ChangeLog } from '../../stores/records/records.ts'
import type { Resource } from '../definition.ts'
import { toRepresentation } from '../record/representations.ts'
import { parseId } from '../write/create-numbered.ts'

export async function getEvents(
  app: FastifyInstance,
  resource: Resource,
  changes: ChangeLog,
): Promise<Route> {
  await changes.start(resource.name)
  const log = createEventLog(changes, resource.name, ({ changes: latest, last, hasGap }) =>
    hasGap
      ? toEvent('reset', last, {})
      : latest.map((change) => changeToEvent(resource, change)).join(''),
  )
  const sendEvents = createEventSender(app)
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
      return sendEvents(request, reply, { log, toText: String })
    },
  }
}

function changeToEvent(resource: Resource, { kind, number, id, record }: Change): string {
  const shown = record
    ? toRepresentation(resource, record)
    : { [resource.idName]: parseId(resource, id) }
  return toEvent(kind, number, shown)
}
