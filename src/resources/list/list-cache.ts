import type { TaggedText } from '../../http/response/send-tagged.ts'
import type { Collection } from '../../stores/records/records.ts'

export interface ListResponse {
  headers: Readonly<Record<string, string>>
  content: TaggedText
}

const maxLength = 2 ** 21
const overhead = 1000

/** Caches the last responses until any process writes a record. */
export function createListCache(records: Pick<Collection, 'state'>) {
  const responses = new Map<string, ListResponse>()
  let length = 0
  let lastState: string | undefined

  const clear = () => {
    responses.clear()
    length = 0
  }
  const refresh = (): string | undefined => {
    const state = records.state()
    if (state === undefined || state !== lastState) clear()
    lastState = state
    return state
  }

  return {
    find: (key: string) => ({ state: refresh(), cached: responses.get(key) }),
    /** Pass the state from before the read: the response may lack later writes. */
    add: (key: string, response: ListResponse, state: string | undefined) => {
      const size = overhead + key.length + response.content.text.length
      const isCurrent = state !== undefined && refresh() === state
      if (!isCurrent || size > maxLength / 20 || responses.has(key)) return
      if (length + size > maxLength) clear()
      length += size
      responses.set(key, response)
    },
  }
}
