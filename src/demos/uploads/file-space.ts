import type { Config } from '../../config/config.ts'
import { formatNumber } from '../../config/format-count.ts'
import type { Collection } from '../../stores/records/records.ts'
import { toClientShare } from '../../config/client-share.ts'
import { findScope } from '../../stores/sandboxes/sandboxes.ts'
import { limitReached } from '../../stores/store-failure.ts'
import { performance } from '../../timers.ts'

export type FileSpace = ReturnType<typeof createFileSpace>
export type Share = Awaited<ReturnType<FileSpace['begin']>>

const restFactor = 50
const leastRestMs = 1000

/** The spaces of what is shared and of each sandbox, which have one limit together. */
export function createFileSpaces(measures: Measures, config: Config) {
  const { maxFilesBytes: maxBytes } = config
  const all = { arrivingBytes: 0, takenBytes: 0 }
  return (uploads: Collection) =>
    maxBytes === undefined
      ? undefined
      : createFileSpace(uploads, {
          ...measures,
          maxBytes,
          maxClientBytes: toClientShare(maxBytes, config),
          all,
        })
}

interface Measures {
  measureAll: () => Promise<number>
  /** Of the sandboxes that the client has begun who began this one. */
  measureClient: () => Promise<number>
}

interface Limit extends Measures {
  maxBytes: number
  /** Of all sandboxes that one client has begun. */
  maxClientBytes: number
  /** Of all spaces: what arrives, and what has arrived and was not deleted since the start. */
  all: { arrivingBytes: number; takenBytes: number }
}

/** Other processes store and delete uploads too, so the stored sizes are added up again from time to time. */
function createFileSpace(uploads: Collection, limit: Limit) {
  const { measureAll, measureClient, maxBytes, maxClientBytes, all } = limit
  const own = { takenBytes: 0 }
  /** The uploads of other sandboxes when the sizes were added up, without what was taken before. */
  let otherBytes = 0
  /** Those of other sandboxes of the client, then. */
  let clientBytes = 0
  const count = (bytes: number) => {
    own.takenBytes += bytes
    all.takenBytes += bytes
  }
  const findTakenByOthers = () => all.takenBytes - own.takenBytes
  const arriving = new Set<string>()
  let arrivingBytes = 0
  let stored = new Map<string, number>()
  let storedBytes = 0
  let counted: typeof stored | undefined
  let freshUntil = -Infinity
  let adding: Promise<void> | undefined

  const reached = `The uploads reach ${formatNumber(maxBytes)} bytes, the limit MAX_FILES_BYTES of this service.`
  const clientReached = `The uploads of this client reach ${formatNumber(maxClientBytes)} bytes, its part of the limit MAX_FILES_BYTES of this service.`

  const arrive = (bytes: number) => {
    arrivingBytes += bytes
    all.arrivingBytes += bytes
  }

  async function addUp(): Promise<void> {
    const begin = performance.now()
    const sizes = (counted = new Map<string, number>())
    // What is stored meanwhile is counted twice until the next time: the limit holds.
    const before = findTakenByOthers() - (all.arrivingBytes - arrivingBytes)
    const allBytes = await measureAll()
    const ofClient = await measureClient()
    for await (const page of uploads.pages()) {
      for (const { id, document } of page)
        if (!arriving.has(id)) sizes.set(id, Number(document.size))
    }
    stored = sizes
    storedBytes = sizes.values().reduce((sum, bytes) => sum + bytes, 0)
    otherBytes = Math.max(allBytes - storedBytes, 0) - before
    clientBytes = Math.max(ofClient - storedBytes, 0)
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
        const others = otherBytes + findTakenByOthers()
        const mine = storedBytes + arrivingBytes + more
        const isOverShare = findScope() !== undefined && clientBytes + mine > maxClientBytes
        if (isOverShare || mine + others > maxBytes) {
          // If it waited for the removal of the file, the others that arrive would fail too.
          arrive(-share)
          count(-share)
          share = 0
          throw limitReached(isOverShare ? clientReached : reached)
        }
        arrive(more)
        count(more)
        share += more
      },
      end: (isStored: boolean) => {
        arriving.delete(id)
        arrive(-share)
        if (!isStored) {
          count(-share)
          return
        }
        storedBytes += share
        stored.set(id, share)
        counted?.set(id, share)
      },
    }
  }

  return {
    begin,
    free: (id: string, bytes: number) => {
      storedBytes -= stored.get(id) ?? 0
      count(-bytes)
      stored.delete(id)
      counted?.delete(id)
    },
  }
}
