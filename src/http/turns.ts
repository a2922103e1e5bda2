import { nextTurn } from '../timers.ts'

/** For each key: what was given last ends. */
const ends = new Map<string, Promise<unknown>>()

/** One at a time of those with the same key, each in a turn of the event loop: others can be handled between two. */
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

/** Each page in its turn. */
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
