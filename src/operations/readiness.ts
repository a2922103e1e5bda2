import type { Collection } from '../stores/records/records.ts'

/** Whether this process should be sent requests, or why not. */
export type ReadinessState = 'ready' | 'starting' | 'draining' | 'no database'

/** What is known of it; `starting` until it is opened. */
export interface Readiness {
  /** From now on the records are asked. */
  open: (records: Pick<Collection, 'find'>) => void
  /** From now on it is `draining`, for good. */
  drain: () => void
  /** Never fails, and takes two seconds at most. */
  find: () => Promise<ReadinessState>
}

/** Half a second more than PostgreSQL has. */
const maxMs = 2000

export function createReadiness(): Readiness {
  let records: Pick<Collection, 'find'> | undefined
  let isDraining = false
  let asking: Promise<boolean> | undefined
  return {
    open: (its) => {
      records = its
    },
    drain: () => {
      isDraining = true
    },
    find: async () => {
      if (isDraining) return 'draining'
      if (records === undefined) return 'starting'
      // However many ask, one reads: a store that hangs is not to be flooded as well.
      asking ??= canRead(records).finally(() => (asking = undefined))
      return (await asking) ? 'ready' : 'no database'
    },
  }
}

/**
 * Why it cannot be read is nothing for the log, which would have it for every probe: the requests that
 * need the records say it there.
 */
async function canRead(records: Pick<Collection, 'find'>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, maxMs, false).unref()
  const isRead = await Promise.race([read(records), late])
  clearTimeout(timer)
  return isRead
}

async function read(records: Pick<Collection, 'find'>): Promise<boolean> {
  try {
    // No store knows without reading that there is no such record.
    await records.find('ready')
    return true
  } catch {
    return false
  }
}

/** How a probe is told. */
export function toProbeResponse(status: ReadinessState) {
  const isReady = status === 'ready'
  return {
    code: isReady ? 200 : 503,
    headers: { 'cache-control': 'no-store', ...(!isReady && { 'retry-after': '1' }) },
    content: { status },
  }
}
