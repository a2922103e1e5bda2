import cluster, { type Worker } from 'node:cluster'
import { randomUUID } from 'node:crypto'

/** What the supervisor asks a worker. */
type Subject = 'readiness' | 'metrics'

interface Question {
  asked: string
  subject: Subject
}

interface Reply {
  told: string
  value: unknown
}

/** Half a second more than finding out about readiness takes at most. */
const answerMs = 2500

/** Makes the function by which the supervisor asks; undefined is no answer in time, or no worker any more. */
export function createWorkerRequests(): (worker: Worker, subject: Subject) => Promise<unknown> {
  const pending = new Map<string, { worker: Worker; resolve: (value: unknown) => void }>()
  cluster.on('message', (_worker, { told, value }: Partial<Reply>) => {
    if (told !== undefined) pending.get(told)?.resolve(value)
  })
  cluster.on('exit', (gone) => {
    for (const { worker, resolve } of pending.values()) if (worker === gone) resolve(undefined)
  })
  return async (worker, subject) => {
    const asked = randomUUID()
    const { promise, resolve } = Promise.withResolvers<unknown>()
    const timer = setTimeout(resolve, answerMs, undefined)
    pending.set(asked, { worker, resolve })
    const unheard = (error: Error | null) => {
      if (error) resolve(undefined)
    }
    if (worker.isConnected()) worker.send({ asked, subject } satisfies Question, unheard)
    else resolve(undefined)
    const value = await promise
    clearTimeout(timer)
    pending.delete(asked)
    return value
  }
}

/** Answers the supervisor from now on, for a worker; gives the function that ends it. */
export function respondToSupervisor(find: Record<Subject, () => Promise<unknown>>): () => void {
  const listen = ({ asked, subject }: Partial<Question>) => {
    if (asked === undefined || subject === undefined) return
    const tell = (value: unknown) => {
      // A supervisor that is gone hears nothing, and this process ends with it.
      process.send?.({ told: asked, value } satisfies Reply, undefined, undefined, () => undefined)
    }
    find[subject]().then(tell, () => {
      tell(undefined)
    })
  }
  process.on('message', listen)
  return () => process.off('message', listen)
}
