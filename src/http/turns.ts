import { nextTurn } from '../timers.ts'

const ends = new Map<string, Promise<unknown>>()

/** Calls with the same key run one after another, and other requests are handled between two of them. */
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
