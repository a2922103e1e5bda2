import type { Collection } from '../stores/records/records.ts'

/** Part of the response of `/health/ready`. */
export type ReadinessState = 'ready' | 'starting' | 'draining' | 'no database'

export interface Readiness {
  /** Ends the state `starting`. */
  open: (records: Pick<Collection, 'find'>) => void
  /** Sets the state `draining`, which does not end. */
  drain: () => void
  /** Never rejects; takes two seconds at most. */
  find: () => Promise<ReadinessState>
}

/** Half a second more than the connection timeout of PostgreSQL. */
const maxMs = 2000

/** Without `records`, the state is `starting` until it is opened. */
export function createReadiness(records?: Pick<Collection, 'find'>): Readiness {
  let isDraining = false
  let reading: Promise<boolean> | undefined
  return {
    open: (opened) => {
      records = opened
    },
    drain: () => {
      isDraining = true
    },
    find: async () => {
      if (isDraining) return 'draining'
      if (records === undefined) return 'starting'
      // Shared by concurrent checks, so that they do not flood a store that hangs.
      reading ??= canRead(records).finally(() => (reading = undefined))
      return (await reading) ? 'ready' : 'no database'
    },
  }
}

/** Failures are not logged here: the requests that need the records log them. */
async function canRead(records: Pick<Collection, 'find'>): Promise<boolean> {
  const { promise: timeout, resolve } = Promise.withResolvers<false>()
  const timer = setTimeout(resolve, maxMs, false).unref()
  // This record does not exist, so that no cache can respond.
  const read = Promise.resolve(records.find('ready')).then(
    () => true,
    () => false,
  )
  return Promise.race([read, timeout]).finally(() => {
    clearTimeout(timer)
  })
}

export function toProbeResponse(status: ReadinessState) {
  const isReady = status === 'ready'
  return {
    code: isReady ? 200 : 503,
    headers: { 'cache-control': 'no-store', ...(!isReady && { 'retry-after': '1' }) },
    content: { status },
  }
}
