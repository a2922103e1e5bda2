import type { Change, ChangeLog } from '../../stores/records/records.ts'
import { StoreFailure } from '../../stores/store-failure.ts'
import type { Resource } from '../definition.ts'
import { toRepresentation } from '../record/representations.ts'
import { parseId } from '../write/create-numbered.ts'

interface EventPart {
  text: string
  /** The number to read on from. */
  last: number
}

export type EventReader = ReturnType<typeof createEventReader>

/** Reads each part once for all streams that wait for it. */
export function createEventReader(resource: Resource, { read, watch }: ChangeLog) {
  const parts = new Map<number, Promise<EventPart>>()
  const load = async (after: number): Promise<EventPart> => {
    const { changes, last, hasGap } = await read(resource.name, after)
    if (hasGap) return { text: toEvent('reset', last, {}), last }
    return { text: changes.map((change) => changeToEvent(resource, change)).join(''), last }
  }
  return {
    watch: (wake: () => void) =>
      watch(() => {
        // A part that is being read may be older than the change.
        parts.clear()
        wake()
      }),
    /** Nothing while the store is unavailable. */
    read: (after: number): Promise<EventPart> => {
      const known = parts.get(after)
      if (known) return known
      const part = load(after).catch((error: unknown) => {
        if (error instanceof StoreFailure) return { text: '', last: after }
        throw error
      })
      const forget = () => parts.delete(after)
      part.then(forget, forget)
      parts.set(after, part)
      return part
    },
  }
}

function changeToEvent(resource: Resource, { kind, number, id, record }: Change): string {
  const shown = record
    ? toRepresentation(resource, record)
    : { [resource.idName]: parseId(resource, id) }
  return toEvent(kind, number, shown)
}

/** https://html.spec.whatwg.org/multipage/server-sent-events.html: JSON has no line breaks. */
function toEvent(name: string, number: number, value: unknown): string {
  return `event: ${name}\nid: ${String(number)}\ndata: ${JSON.stringify(value)}\n\n`
}
