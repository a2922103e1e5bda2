import { readFile } from 'node:fs/promises'
import type { TestContext } from 'node:test'
import { until } from '../until.ts'
import { openClient } from './client.ts'
import { startInFolder } from './stopping.ts'

export const patience = { timeout: 300_000 }

export function startWorkers(t: TestContext) {
  return startInFolder(t, { WORKERS: '3' })
}

/** The process ids of the workers (proc(5)). */
export async function findWorkers(pid: number | undefined): Promise<number[]> {
  const path = `/proc/${String(pid)}/task/${String(pid)}/children`
  return (await readFile(path, 'utf8')).split(' ').filter(Boolean).map(Number)
}

/** As many connections as there are turns until every worker has had some. */
export function openClients(t: TestContext, origin: string) {
  return Array.from({ length: 9 }, () => openClient(t, origin))
}

/** Kills the oldest worker, and waits for the one that takes its place. */
export async function killWorker(supervisor: number | undefined): Promise<void> {
  const [pid = NaN] = await findWorkers(supervisor)
  process.kill(pid, 'SIGKILL')
  await until(async () => {
    const workers = await findWorkers(supervisor)
    return workers.length === 3 && !workers.includes(pid)
  })
}
