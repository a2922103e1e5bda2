import { insufficientStorage } from '../../http/errors/http-error.ts'
import type { Collection } from '../../stores/records/records.ts'

/** The part of the space that one upload takes. */
export interface Share {
  /** Takes more of the space; throws 507 when there is not so much. */
  take: (bytes: number) => void
  /** What was taken stays so. */
  keep: () => void
  /** Gives back what was taken and is not kept. */
  release: () => void
}

/** Gives an upload of this id its share, before anything of it is recorded. */
export type FileSpace = (id: string) => Promise<Share>

/** What is kept is added up again after so many times the time that it takes, and a second at least. */
const restFactor = 50
const leastRestMs = 1000

/**
 * The space that all uploads have together, those that are still arriving included. Other processes
 * keep uploads too, so from time to time what is kept is added up again.
 */
export function createFileSpace(uploads: Collection, maxBytes: number): FileSpace {
  /** Counted by themselves, so that adding up passes over them. */
  const arriving = new Set<string>()
  const keptMeanwhile = new Map<string, number>()
  let arrivingBytes = 0
  let keptBytes = 0
  let freshUntil = -Infinity
  let adding: Promise<void> | undefined

  async function addUp(): Promise<void> {
    const begin = performance.now()
    let bytes = 0
    for await (const page of uploads.pages()) {
      const counted = page.filter(({ id }) => !arriving.has(id) && !keptMeanwhile.has(id))
      for (const { document } of counted) bytes += Number(document.size)
    }
    keptBytes = [...keptMeanwhile.values()].reduce((sum, size) => sum + size, bytes)
    const end = performance.now()
    freshUntil = end + Math.max(leastRestMs, restFactor * (end - begin))
  }

  function createShare(id: string): Share {
    let bytes = 0
    arriving.add(id)
    const release = () => {
      arriving.delete(id)
      arrivingBytes -= bytes
      bytes = 0
    }
    return {
      take: (more) => {
        if (keptBytes + arrivingBytes + more > maxBytes) throw insufficientStorage()
        arrivingBytes += more
        bytes += more
      },
      keep: () => {
        keptBytes += bytes
        if (adding) keptMeanwhile.set(id, bytes)
        release()
      },
      release,
    }
  }

  return async (id) => {
    if (performance.now() > freshUntil) {
      adding ??= addUp().finally(() => {
        adding = undefined
        keptMeanwhile.clear()
      })
      await adding
    }
    return createShare(id)
  }
}
