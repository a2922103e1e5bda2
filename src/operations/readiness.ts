import { setTimeout } from 'node:timers/promises'
import type { Collection } from '../stores/records/records.ts'

export type ReadinessState = 'ready' | 'starting' | 'draining' | 'no database'

export type Readiness = ReturnType<typeof createReadiness>

type RecordReader = Pick<Collection, 'find'>

/** Half a second more than the connection timeout of PostgreSQL. */
const maxReadMs = 2000

export function createReadiness(records?: RecordReader) {
  let isDraining = false
  let reading: Promise<boolean> | undefined
  return {
    open: (opened: RecordReader) => {
      records = opened
    },
    drain: () => {
      isDraining = true
    },
    find: async (): Promise<ReadinessState> => {
      if (isDraining) return 'draining'
      if (records === undefined) return 'starting'
      // Shared by concurrent checks, so that they do not flood a store that hangs.
      reading ??= canRead(records).finally(() => (reading = undefined))
      return (await reading) ? 'ready' : 'no database'
    },
  }
}

/** Failures are not logged here: the requests that need the records log them. */
async function canRead(records: RecordReader): Promise<boolean> {
  try {
    // This record does not exist, so that no cache can respond.
    const read = Promise.resolve(records.find('ready')).then(() => true)
    return await Promise.race([read, setTimeout(maxReadMs, false, { ref: false })])
  } catch {
    return false
  }
}

export function toProbeResponse(status: ReadinessState) {
  const isReady = status === 'ready'
  return {
    code: isReady ? 200 : 503,
    headers: { 'cache-control': 'no-store', ...(!isReady && { 'retry-after': '1' }) },
    content: { status },
  }
}
