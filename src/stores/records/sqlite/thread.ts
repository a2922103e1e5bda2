import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { formatCount } from '../../../config/format-count.ts'
import { maxSlowReadMs } from '../../../config/limits.ts'
import { toStoreFailure } from '../../sqlite/database.ts'
import { isFull, notNeeded, StoreFailure } from '../../store-failure.ts'
import type { Condition, Row } from '../dialect.ts'
import { clearInterval, setInterval } from '../../../timers.ts'

export interface Task {
  number: number
  queries: readonly Condition[]
  /** It becomes 1 when the rows are no longer needed. */
  flag: Int32Array
  /** If it takes longer, from its start in the thread, it ends without a result. */
  maxMs: number
}

/** Without rows and without an error, the task was stopped. */
export interface Done {
  number: number
  rows?: readonly Row[] | undefined
  error?: { message: string; errcode: unknown }
}

interface Waiting extends PromiseWithResolvers<readonly Row[]>, Pick<Task, 'flag'> {}

const pollMs = 50

type IsCancelled = () => boolean

export type ReadThread = ReturnType<typeof createReadThread>

/** A thread that reads the file of a database, one query after another. It starts when it is needed. */
export function createReadThread(path: string) {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let last = 0
  const start = () => {
    const url = new URL(`read-thread${extname(import.meta.filename)}`, import.meta.url)
    const started = new Worker(url, { workerData: path, execArgv: [] })
    started.on('message', (done: Done) => {
      settle(waiting.get(done.number), done)
    })
    // The next query starts another one.
    const fail = (error: unknown) => {
      if (worker !== started) return
      worker = undefined
      for (const { reject } of waiting.values()) reject(new StoreFailure('unavailable', error))
    }
    return started.on('error', fail).on('exit', fail)
  }
  const toTask = (queries: readonly Condition[]) => ({
    queries,
    flag: new Int32Array(new SharedArrayBuffer(4)),
  })
  const readIn = async (
    running: Worker,
    queries: readonly Condition[],
    isCancelled?: IsCancelled,
  ) => {
    const number = (last += 1)
    const asked = { ...toTask(queries), number, maxMs: maxSlowReadMs.sqlite } satisfies Task
    const task = { ...Promise.withResolvers<readonly Row[]>(), flag: asked.flag }
    waiting.set(number, task)
    const timer = setInterval(() => {
      if (isCancelled?.() === true) Atomics.store(asked.flag, 0, 1)
    }, pollMs)
    running.ref()
    running.postMessage(asked)
    try {
      return await task.promise
    } finally {
      clearInterval(timer)
      waiting.delete(number)
      if (waiting.size === 0) running.unref()
    }
  }
  return {
    read: async (queries: readonly Condition[], isCancelled?: IsCancelled) =>
      readIn((worker ??= start()), queries, isCancelled),
    /** For queries that use a temporary table, which only the thread that creates it has. */
    bind: () => {
      const bound = (worker ??= start())
      return {
        read: async (queries: readonly Condition[], isCancelled?: IsCancelled) => {
          if (worker === bound) return readIn(bound, queries, isCancelled)
          throw new StoreFailure('unavailable', 'the thread that has the ids ended')
        },
        /** Without a result. A thread that has ended ignores it. */
        send: (queries: readonly Condition[]) => {
          bound.postMessage({ ...toTask(queries), number: 0, maxMs: Infinity } satisfies Task)
        },
      }
    },
    /** Before the database is closed: the last connection removes the log. */
    close: async () => {
      for (const { flag } of waiting.values()) Atomics.store(flag, 0, 1)
      await worker?.terminate()
    },
  }
}

const maxTime = formatCount(maxSlowReadMs.sqlite / 1000, 'second')
const tookTooLong = `the query took longer than ${maxTime}`
const noSpace =
  'there is no space for sorting in the temporary folder, which SQLITE_TMPDIR or TMPDIR names'

function settle(task: Waiting | undefined, { rows, error }: Done): void {
  if (rows) task?.resolve(rows)
  else if (error) task?.reject(toReadFailure(Object.assign(new Error(error.message), error)))
  else if (task?.flag[0] === 1) task.reject(notNeeded())
  else task?.reject(new StoreFailure('unavailable', tookTooLong))
}

/** The thread writes nothing but what SQLite sorts. */
function toReadFailure(error: Error): unknown {
  const failure = toStoreFailure(error)
  return isFull(failure) ? new StoreFailure('unavailable', noSpace) : failure
}
