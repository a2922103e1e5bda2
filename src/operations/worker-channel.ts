import type { Worker } from 'node:cluster'
import { randomUUID } from 'node:crypto'
import type { Counters } from '../stores/counters/counters.ts'
import { clearTimeout, setTimeout } from '../timers.ts'

type Subject = 'count' | 'opened' | 'exchanges' | 'metrics' | 'readiness'

export type Handlers = Partial<Record<Subject, (key: string) => unknown>>

/** Resolves with undefined if the other process has ended, does not respond in time or fails. */
export type SendRequest = (subject: Subject, key?: string) => Promise<unknown>

export interface Supervised {
  state: 'starting' | 'running' | 'stopping'
  living: Map<number, SendRequest>
  port: number
  count: number
  counters: Counters
  end: (exitCode: number) => void
}

interface Message {
  id?: string
  subject?: Subject
  key?: string
  value?: unknown
}

/** Half a second more than the readiness check takes at most. */
const timeoutMs = 2500

export function openChannel(worker: Worker, handlers: Handlers): SendRequest {
  const pending = new Map<string, (value?: unknown) => void>()
  const handle = async (subject: Subject, key: string) => handlers[subject]?.(key)
  worker.on('message', ({ id = '', subject, key = '', value }: Message) => {
    const respond = (found?: unknown) => worker.send({ id, value: found }, () => undefined)
    if (subject === undefined) pending.get(id)?.(value)
    else void handle(subject, key).then(respond, () => respond())
  })
  worker.on('disconnect', () => {
    for (const resolve of pending.values()) resolve()
  })
  return (subject, key) => {
    const id = randomUUID()
    const { promise, resolve } = Promise.withResolvers<unknown>()
    pending.set(id, resolve)
    const timer = setTimeout(resolve, timeoutMs)
    worker.send({ id, subject, key }, (error) => {
      if (error) resolve(undefined)
    })
    return promise.finally(() => {
      clearTimeout(timer)
      pending.delete(id)
    })
  }
}
