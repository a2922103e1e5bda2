import { formatNumber } from '../../config/format-count.ts'
import type { Collection } from '../../stores/records/records.ts'
import { limitReached } from '../../stores/store-failure.ts'
import { performance } from '../../timers.ts'

export type FileSpace = ReturnType<typeof createFileSpace>
export type Share = Awaited<ReturnType<FileSpace['begin']>>

const restFactor = 50
const leastRestMs = 1000

/** Other processes store and delete uploads too, so the stored sizes are added up again from time to time. */
export function createFileSpace(uploads: Collection, maxBytes: number) {
  const arriving = new Set<string>()
  let arrivingBytes = 0
  let stored = new Map<string, number>()
  let storedBytes = 0
  let counted: typeof stored | undefined
  let freshUntil = -Infinity
  let adding: Promise<void> | undefined

  const reached = `The uploads reach ${formatNumber(maxBytes)} bytes, the limit MAX_FILES_BYTES of this service.`

  async function addUp(): Promise<void> {
    const begin = performance.now()
    const sizes = (counted = new Map<string, number>())
    for await (const page of uploads.pages()) {
      for (const { id, document } of page)
        if (!arriving.has(id)) sizes.set(id, Number(document.size))
    }
    stored = sizes
    storedBytes = sizes.values().reduce((sum, bytes) => sum + bytes, 0)
    const end = performance.now()
    freshUntil = end + Math.max(leastRestMs, restFactor * (end - begin))
  }

  function stopAdding(): void {
    adding = undefined
    counted = undefined
  }

  async function begin(id: string) {
    // A reset removes uploads too.
    const isStale = performance.now() > freshUntil || (await uploads.count()) < stored.size
    if (isStale) await (adding ??= addUp().finally(stopAdding))
    let share = 0
    arriving.add(id)
    return {
      take: (more: number) => {
        if (storedBytes + arrivingBytes + more > maxBytes) {
          // If it waited for the removal of the file, the others that arrive would fail too.
          arrivingBytes -= share
          share = 0
          throw limitReached(reached)
        }
        arrivingBytes += more
        share += more
      },
      end: (isStored: boolean) => {
        arriving.delete(id)
        arrivingBytes -= share
        if (!isStored) return
        storedBytes += share
        stored.set(id, share)
        counted?.set(id, share)
      },
    }
  }

  return {
    begin,
    free: (id: string) => {
      storedBytes -= stored.get(id) ?? 0
      stored.delete(id)
      counted?.delete(id)
    },
  }
}
