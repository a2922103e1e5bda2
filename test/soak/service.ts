import { once } from 'node:events'
import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { findFreePort } from '../support/free-port.ts'
import { openClient } from '../support/client.ts'
import { parseMetrics } from '../support/parse-metrics.ts'
import { readUsage } from '../support/process-usage.ts'
import { findOrigin, settingsIn, spawnVitrine, type Ending } from '../support/start-vitrine.ts'

export interface Sample {
  /** Seconds since the begin. */
  at: number
  pid: number | undefined
  residentBytes: number
  descriptors: number
}

export type Service = Awaited<ReturnType<typeof startService>>

/** A public instance whose process is replaced by restarts, and whose port and data stay. */
export async function startService(t: Ending, folder: string) {
  const [port, adminPort] = [String(await findFreePort()), String(await findFreePort())]
  const settings = {
    ...settingsIn(folder),
    PRESET: 'public',
    PORT: port,
    ADMIN_PORT: adminPort,
    LOG_LEVEL: 'warn',
    // All sandboxes together have at most so many: hostile clients would leave no place for the others.
    MAX_RECORDS: '1000000',
    BIN_DAYS: '1',
  }
  const log = join(folder, 'log')
  let isDown = true
  let restarts = 0
  let current = spawnVitrine(settings)
  const open = async () => {
    for (const stream of [current.process.stdout, current.process.stderr])
      stream?.on('data', (chunk: Buffer) => {
        appendFileSync(log, chunk)
      })
    const origin = await findOrigin(current)
    isDown = false
    return origin
  }
  const origin = await open()
  t.after(() => current.process.kill('SIGKILL'))
  const admin = openClient(t, `http://127.0.0.1:${adminPort}`)
  const begin = performance.now()
  return {
    origin,
    log,
    isDown: () => isDown,
    restarts: () => restarts,
    pid: () => current.process.pid,
    readMetrics: async () => parseMetrics((await admin('/metrics')).text),
    sample: (): Sample => ({
      at: (performance.now() - begin) / 1000,
      pid: current.process.pid,
      residentBytes: readUsage(current.process.pid)?.residentBytes ?? 0,
      descriptors: countDescriptors(current.process.pid),
    }),
    restart: async (signal: 'SIGTERM' | 'SIGKILL') => {
      isDown = true
      restarts += 1
      const ended = once(current.process, 'exit')
      current.process.kill(signal)
      const [code] = (await ended) as [number | null]
      if (signal === 'SIGTERM' && code !== 0)
        throw new Error(`the process ended with ${String(code)} after SIGTERM`)
      current = spawnVitrine(settings)
      await open()
    },
    assertRunning: () => {
      const { exitCode, signalCode } = current.process
      if (!isDown && (exitCode ?? signalCode) !== null)
        throw new Error(`the process ended: ${current.output().slice(-2000)}`)
    },
  }
}

function countDescriptors(pid: number | undefined): number {
  try {
    return readdirSync(`/proc/${String(pid)}/fd`).length
  } catch {
    return 0
  }
}

/** The lines of faults, and what is no line of the log: an uncaught exception prints its stack. */
export function findFaults({ log }: Service): string[] {
  const lines = readFileSync(log, 'utf8').split('\n')
  const warnings: Record<string, number> = {}
  for (const line of lines) {
    const [, message = ''] = /^\{"level":40.*"msg":"([^"]*)"\}$/.exec(line) ?? []
    if (message) warnings[message] = (warnings[message] ?? 0) + 1
  }
  console.log('Warnings in the log:', JSON.stringify(warnings))
  const isFault = (line: string) =>
    line.startsWith('{') ? /"level":[56]0/.test(line) : /^\s+at |Error|vitrine: cannot/.test(line)
  return lines.filter(isFault).slice(0, 20)
}

/** Waits until no client is connected: each limit of time has passed by then. */
export async function waitUntilQuiet(service: Service, seconds: number): Promise<string[]> {
  const giveUpAt = performance.now() + seconds * 1000
  for (;;) {
    const { sum } = await service.readMetrics()
    const [connections, inFlight] = [sum('http_connections'), sum('http_requests_in_flight')]
    if (connections === 0 && inFlight === 0) return []
    if (performance.now() > giveUpAt)
      return [`${String(connections)} connections and ${String(inFlight)} requests do not end`]
    await setTimeout(250)
  }
}
