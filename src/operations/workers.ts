import cluster, { type Worker } from 'node:cluster'
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Supervised } from './supervisor-admin.ts'
import type { Config } from '../config/config.ts'
import { findFreePort } from './free-port.ts'

/** One that ends sooner would end again and again: the next waits as long before it starts. */
const soonMs = 1000

/**
 * Runs the service in `workers` processes that take connections from one listener, and another for each that
 * dies. Resolves with the status to exit with: after a SIGTERM or SIGINT, when all have ended, or when
 * the first has not been able to start.
 */
export async function superviseWorkers(config: Config): Promise<number> {
  const { workers: count, host, port } = config
  // All take connections from one listener. In turn, they would be handed over by this process, and
  // what is on its way to a worker that dies would hang for ever, its socket left open here.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  // All have to open the same one, those too that come later.
  const environment = { [portName]: String(port === 0 ? await findFreePort(host) : port) }
  const living = new Set<Worker>()
  const ended = Promise.withResolvers<number>()
  let state: 'starting' | 'running' | 'stopping' = 'starting'
  const closeAdmin = await openAdmin(config, { living, isStopping: () => state === 'stopping' })

  const start = () => {
    const startedAt = performance.now()
    const worker = cluster.fork(environment)
    living.add(worker)
    worker.once('exit', (code, signal) => {
      living.delete(worker)
      if (state === 'starting') {
        if (signal) console.error(`vitrine: cannot start: the first worker has ended (${signal})`)
        ended.resolve(code || 1)
      } else if (state === 'running') {
        console.error(`vitrine: a worker has ended (${signal || String(code)}); another starts`)
        const hasLived = performance.now() - startedAt > soonMs
        setTimeout(() => state === 'running' && start(), hasLived ? 0 : soonMs)
      } else if (living.size === 0) ended.resolve(0)
    })
    // What it is told while it ends is lost, and that is all.
    worker.on('error', () => undefined)
    return worker
  }
  const stop = () => {
    process.off('SIGTERM', stop).off('SIGINT', stop)
    state = 'stopping'
    for (const { process: child } of living) child.kill('SIGTERM')
    if (living.size === 0) ended.resolve(0)
  }

  process.on('SIGTERM', stop).on('SIGINT', stop)
  cluster.on('message', (from, message: object | typeof opened) => {
    if (message === opened) {
      if (state !== 'starting') return
      state = 'running'
      for (let index = 1; index < count; index += 1) start()
      return
    }
    // What a worker tells the supervisor is for nobody else.
    if (typeof message === 'string' || !('question' in message)) return
    for (const worker of living) {
      if (worker !== from && worker.isConnected()) worker.send(message, () => undefined)
    }
  })
  // The first brings the database up to date, and finds out whether a start is possible at all.
  start()
  return ended.promise.finally(closeAdmin)
}

/** Opens ADMIN_PORT where it is set; gives the function that closes it. */
async function openAdmin(config: Config, supervised: Supervised) {
  const { adminPort } = config
  if (adminPort === undefined) return undefined
  const { openSupervisorAdmin } = await import('./supervisor-admin.ts')
  return openSupervisorAdmin({ ...config, adminPort }, supervised)
}

const portName = 'VITRINE_WORKER_PORT'

/** Whether this process is one of ours; somebody else's `node:cluster` may have started it as well. */
export const isWorker = cluster.isWorker && portName in process.env

/** The port that all workers open; undefined in a process that is none. */
export function findWorkerPort(): number | undefined {
  return isWorker ? Number(process.env[portName]) : undefined
}

/** Lets a worker end, which its supervisor's channel alone would keep up. */
export function disconnectWorker(): void {
  if (isWorker) cluster.worker?.disconnect()
}

/** What the first worker says when it is open, so that the others may start. */
const opened = 'opened'

export function notifyOpened(): void {
  if (isWorker) notify(opened)
}

function notify(message: Message | typeof opened): void {
  // A supervisor that is gone hears nothing, and this process ends with it.
  process.send?.(message, undefined, undefined, () => undefined)
}

/** Whether this process is to say what one alone would say: where it is open. */
export function isFirstProcess(): boolean {
  return !isWorker || cluster.worker?.id === 1
}

/** From one worker to all others, by way of the supervisor. */
interface Message {
  question: string
  key: string
  /** Undefined in the question itself. */
  answer?: unknown
}

const answerMs = 500

/**
 * Makes a function that asks the other workers for what one of them may have in its memory, where
 * each looks with `find`. Undefined when none has it, and at once when there are no others.
 */
export function createWorkerLookup<Value>(
  find: (key: string) => Value | undefined,
): (key: string) => Promise<Value | undefined> {
  if (!isWorker) return () => Promise.resolve(undefined)
  const questions = new Map<string, (answer: Value) => void>()
  process.on('message', ({ question, key, answer }: Partial<Message>) => {
    if (question === undefined || key === undefined) return
    if (answer !== undefined) questions.get(question)?.(answer as Value)
    else {
      const value = find(key)
      if (value !== undefined) notify({ question, key, answer: value })
    }
  })
  return async (key) => {
    const question = randomUUID()
    const answered = new Promise<Value>((resolve) => questions.set(question, resolve))
    notify({ question, key })
    const answer = await Promise.race([answered, wait(answerMs, undefined)])
    questions.delete(question)
    return answer
  }
}
