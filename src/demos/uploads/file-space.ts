import { insufficientStorage } from '../../http/errors/http-error.ts'
import type { Collection } from '../../stores/records/records.ts'

export type FileSpace = ReturnType<typeof createFileSpace>
export type Share = Awaited<ReturnType<FileSpace>>

const restFactor = 50
const leastRestMs = 1000

/** Other processes store uploads too, so the stored sizes are added up again from time to time. */
export function createFileSpace(uploads: Collection, maxBytes: number) {
  /** Counted separately, and so left out when stored uploads are added up. */
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
    keptBytes = keptMeanwhile.values().reduce((sum, size) => sum + size, bytes)
    const end = performance.now()
    freshUntil = end + Math.max(leastRestMs, restFactor * (end - begin))
  }

  function createShare(id: string) {
    let bytes = 0
    arriving.add(id)
    return {
      /** Throws 507 when there is no more space. */
      take: (more: number) => {
        if (keptBytes + arrivingBytes + more > maxBytes) throw insufficientStorage()
        arrivingBytes += more
        bytes += more
      },
      end: (isStored: boolean) => {
        arriving.delete(id)
        arrivingBytes -= bytes
        if (!isStored) return
        keptBytes += bytes
        if (adding) keptMeanwhile.set(id, bytes)
      },
    }
  }

  return async (id: string) => {
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
