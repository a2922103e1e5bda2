import { toEvent } from '../../http/response/event-stream.ts'
import type { Change, ChangeLog, ChangePart } from '../../stores/records/records.ts'
import { StoreFailure } from '../../stores/store-failure.ts'
import type { Resource } from '../definition.ts'
import { toRepresentation } from '../record/representations.ts'
import { parseId } from '../write/create-numbered.ts'

export interface EventPart<Content> {
  /** Undefined while the store is unavailable. */
  content: Content | undefined
  /** The number to read on from. */
  last: number
}

export type EventReader<Content> = ReturnType<typeof createEventReader<Content>>

/** Reads each part of the changes of a collection once for all streams that wait for it. */
export function createEventReader<Content>(
  { read, watch }: ChangeLog,
  collection: string,
  toContent: (part: ChangePart) => Content,
) {
  const parts = new Map<number, Promise<EventPart<Content>>>()
  const load = async (after: number): Promise<EventPart<Content>> => {
    const part = await read(collection, after)
    return { content: toContent(part), last: part.last }
  }
  return {
    findLast: async () => (await read(collection)).last,
    watch: (wake: () => void) =>
      watch(() => {
        // A part that is being read may be older than the change.
        parts.clear()
        wake()
      }),
    read: (after: number): Promise<EventPart<Content>> => {
      const known = parts.get(after)
      if (known) return known
      const part = load(after).catch((error: unknown) => {
        if (error instanceof StoreFailure) return { content: undefined, last: after }
        throw error
      })
      const forget = () => parts.delete(after)
      part.then(forget, forget)
      parts.set(after, part)
      return part
    },
  }
}

export function toResourceEvents(resource: Resource) {
  return ({ changes, last, hasGap }: ChangePart): string =>
    hasGap
      ? toEvent('reset', last, {})
      : changes.map((change) => changeToEvent(resource, change)).join('')
}

function changeToEvent(resource: Resource, { kind, number, id, record }: Change): string {
  const shown = record
    ? toRepresentation(resource, record)
    : { [resource.idName]: parseId(resource, id) }
  return toEvent(kind, number, shown)
}
