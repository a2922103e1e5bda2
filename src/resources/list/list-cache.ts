import type { Collection } from '../../stores/records/records.ts'
import type { TaggedText } from '../../http/response/send-tagged.ts'

/** A part of a list as it is sent. */
export interface ListResponse {
  headers: Readonly<Record<string, string>>
  content: TaggedText
}

/** Of all answers together, in characters, a thousand of each for what goes with it. */
const maxLength = 2 ** 21

/**
 * Keeps the last answers for as long as nobody writes, in this process or another: a page of twenty
 * costs a quarter of what it does to read and write it. `remember` takes the state before the reading.
 */
export function createListCache(records: Pick<Collection, 'state'>) {
  const answers = new Map<string, ListResponse>()
  let length = 0
  let lastState: string | undefined

  const look = (): string | undefined => {
    const state = records.state()
    if (state === undefined || state !== lastState) {
      answers.clear()
      length = 0
    }
    lastState = state
    return state
  }

  return {
    find: (key: string) => {
      const state = look()
      return { state, answer: answers.get(key) }
    },
    remember: (key: string, answer: ListResponse, state: string | undefined) => {
      const size = 1000 + key.length + answer.content.text.length
      // What was written during the reading may be in the answer, or not.
      if (state === undefined || look() !== state || size > maxLength / 20) return
      // Somebody else asked for the same meanwhile.
      if (answers.has(key)) return
      length += size
      if (length > maxLength) {
        answers.clear()
        length = size
      }
      answers.set(key, answer)
    },
  }
}
