import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { isObject } from '../../../config/is-object.ts'
import { toReason } from '../../store-failure.ts'
import { createLimitedReads, now } from './limited-reads.ts'
import { createStatements } from './statements.ts'
import type { Done, Task } from './thread.ts'

/** If a query needs longer, the next one is tried: only the last one has the whole time of the task. */
const maxTryMs = 10

const database = new DatabaseSync(String(workerData), { readOnly: true, timeout: 1000 })
const read = createLimitedReads(database, createStatements(database))

parentPort?.on('message', ({ number, queries, flag, maxMs }: Task) => {
  const end = now() + maxMs
  const isOver = () => now() > end || Atomics.load(flag, 0) === 1
  const run = (): Done => {
    for (const [index, query] of queries.entries()) {
      const isLast = index === queries.length - 1
      const ownEnd = isLast ? Infinity : now() + maxTryMs
      const rows = isOver() ? undefined : read(query, () => now() > ownEnd || isOver())
      if (rows) return { number, rows }
    }
    return { number }
  }
  parentPort?.postMessage(attempt(run, number))
})

function attempt(run: () => Done, number: number): Done {
  try {
    return run()
  } catch (error) {
    const errcode = isObject(error) ? error.errcode : undefined
    return { number, error: { message: toReason(error), errcode } }
  }
}
