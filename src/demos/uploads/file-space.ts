import type { Collection } from '../../stores/records/records.ts'
import { limitReached } from '../../stores/store-failure.ts'

export type FileSpace = ReturnType<typeof createFileSpace>
export type Share = Awaited<ReturnType<FileSpace['begin']>>

const restFactor = 50
const leastRestMs = 1000

/** Other processes store uploads too, so the stored sizes are added up again from time to time. */
export function createFileSpace(uploads: Collection, maxBytes: number) {
  /** The uploads that are arriving, and those that were stored while the sizes are added up. */
  const shares = new Map<string, { bytes: number; isStored: boolean }>()
  let arrivingBytes = 0
  let storedBytes = 0
  let freshUntil = -Infinity
  let adding: Promise<void> | undefined

  const reached = `The uploads reach ${maxBytes.toLocaleString('en')} bytes, the limit MAX_FILES_BYTES of this service.`

  async function addUp(): Promise<void> {
    const begin = performance.now()
    let bytes = 0
    for await (const page of uploads.pages()) {
      for (const { id, document } of page) if (!shares.has(id)) bytes += Number(document.size)
    }
    const stored = shares.values().filter(({ isStored }) => isStored)
    storedBytes = stored.reduce((sum, share) => sum + share.bytes, bytes)
    const end = performance.now()
    freshUntil = end + Math.max(leastRestMs, restFactor * (end - begin))
  }

  function forgetStored(): void {
    adding = undefined
    for (const [id, { isStored }] of shares) if (isStored) shares.delete(id)
  }

  async function begin(id: string) {
    if (performance.now() > freshUntil) await (adding ??= addUp().finally(forgetStored))
    const share = { bytes: 0, isStored: false }
    shares.set(id, share)
    return {
      take: (more: number) => {
        if (storedBytes + arrivingBytes + more > maxBytes) throw limitReached(reached)
        arrivingBytes += more
        share.bytes += more
      },
      end: (isStored: boolean) => {
        arrivingBytes -= share.bytes
        share.isStored = isStored
        if (isStored) storedBytes += share.bytes
        if (!isStored || !adding) shares.delete(id)
      },
    }
  }

  return {
    begin,
    free: (bytes: number) => {
      storedBytes -= bytes
    },
  }
}
