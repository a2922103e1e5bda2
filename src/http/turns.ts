import { nextTurn } from '../timers.ts'

/** For each key, the end of the latest turn. */
const ends = new Map<string, Promise<unknown>>()

/**
 * Calls with the same key run one after another, each in a turn of the event loop of its own, so that other
 * requests are handled between two of them.
 */
export async function takeTurn<Result>(
  key: string,
  run: () => Result | Promise<Result>,
): Promise<Result> {
  const result = (ends.get(key) ?? Promise.resolve()).then(() => nextTurn()).then(run)
  const end = result.catch(() => undefined)
  ends.set(key, end)
  try {
    return await result
  } finally {
    if (ends.get(key) === end) ends.delete(key)
  }
}

/** Reads each page in a turn of its own. */
export async function* readInTurns<Page>(key: string, pages: AsyncGenerator<Page>) {
  try {
    for (;;) {
      const next = await takeTurn(key, () => pages.next())
      if (next.done === true) return
      yield next.value
    }
  } finally {
    await pages.return(undefined)
  }
}
