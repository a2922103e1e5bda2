import type { Server } from 'node:net'
import { promisify } from 'node:util'
import { delay } from '../timers.ts'

export type ReadinessState =
  'ready' | 'starting' | 'draining' | 'no database' | 'no free connection'

export type Readiness = ReturnType<typeof createReadiness>

export type Checks = Record<'database', ReadinessCheck> & Record<string, ReadinessCheck>
type ReadinessCheck = () => unknown

interface Watched {
  checks: Checks
  countRecords: () => Promise<(readonly [kind: string, count: number])[]>
  measure?: (() => Promise<[used: string, amount: number][]>) | undefined
  server: Server
}

/** It is half a second more than the connection timeout of PostgreSQL. */
const maxReadinessMs = 2000

export function createReadiness(watched?: Watched) {
  let isDraining = false
  let checking: Promise<boolean> | undefined
  const countConnections = async () => {
    if (watched === undefined) return 0
    const { server } = watched
    return promisify<number>(server.getConnections.bind(server))()
  }
  return {
    open: (opened: Watched) => {
      watched = opened
    },
    drain: () => {
      isDraining = true
    },
    find: async (): Promise<ReadinessState> => {
      if (isDraining) return 'draining'
      if (watched === undefined) return 'starting'
      // Shared by concurrent checks, so that they do not flood a store that hangs.
      checking ??= works(watched.checks.database).finally(() => (checking = undefined))
      if (!(await checking)) return 'no database'
      const isFull = (await countConnections()) >= watched.server.maxConnections
      return isFull ? 'no free connection' : 'ready'
    },
    countConnections,
    countRecords: async () => (await watched?.countRecords().catch(() => undefined)) ?? [],
    measure: async () => (await watched?.measure?.().catch(() => undefined)) ?? [],
    findWorking: async () => {
      const all = Object.entries<ReadinessCheck>(watched?.checks ?? {})
      return Promise.all(all.map(async ([name, check]) => [name, await works(check)] as const))
    },
  }
}

/** Failures are not logged here: the requests that need the dependency log them. */
async function works(check: ReadinessCheck): Promise<boolean> {
  try {
    const checked = Promise.resolve(check()).then(() => true)
    return await Promise.race([checked, delay(maxReadinessMs, false, { ref: false })])
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
