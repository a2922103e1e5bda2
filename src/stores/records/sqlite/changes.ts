import { keptChanges } from '../../../config/limits.ts'
import { createRead, loggedDocument, shareWakeUps } from '../changes.ts'
import { isOfPlace, withoutPlace } from '../../sandboxes/places.ts'
import type { SqlDialect } from '../dialect.ts'
import type { ChangeKind, ChangeLog } from '../records.ts'
import type { RecordCache } from './record-cache.ts'
import type { Prepare } from './statements.ts'
import { clearInterval, setInterval } from '../../../timers.ts'

/** Reading the state takes microseconds. */
const pollMs = 50

export type OwnLog = ReturnType<typeof createChangeLog>

interface LogParts {
  write: (part: () => number) => Promise<number>
  dialect: SqlDialect
  prepare: Prepare
  cache: RecordCache
}

export function createChangeLog({ dialect, prepare, cache, write }: LogParts) {
  const started = new Set<string>()
  const isStarted = (resource: string) => started.has(withoutPlace(resource))
  const start = prepare('INSERT INTO change_numbers VALUES (?, ?) ON CONFLICT DO NOTHING')
  const begin = (resource: string) => {
    const now = Date.now()
    start.run(resource, now)
    return now
  }
  const next = prepare(
    'UPDATE change_numbers SET last = last + 1 WHERE resource = ? RETURNING last',
  )
  const insert = prepare(
    `INSERT INTO changes SELECT ?1, ?2, ?3, ?4, ${loggedDocument('?1')}, version, created_at, updated_at
     FROM (SELECT 1) LEFT JOIN records ON resource = ?1 AND id = ?4`,
  )
  const prune = prepare('DELETE FROM changes WHERE resource = ? AND number <= ?')
  /** Runs inside the transaction of a write, also for a log that another process has started. */
  const skip = (resource: string) => {
    if (!next.get(resource) && isOfPlace(resource) && isStarted(resource)) begin(resource)
    return 1
  }
  const changes: ChangeLog = {
    start: async (name) => {
      started.add(name)
      await write(() => {
        // Clients that resume with a number of an earlier, removed database must not get wrong changes.
        start.run(name, Date.now())
        return 1
      })
    },
    read: createRead(dialect),
    skip: async (name) => {
      await write(() => skip(name))
    },
    watch: shareWakeUps((wakeAll) => {
      let known: number | undefined
      const timer = setInterval(() => {
        let state: number | undefined
        try {
          state = cache.state()
        } catch {
          // Another process has locked the database.
        }
        if (state !== known) wakeAll()
        known = state
      }, pollMs)
      return () => {
        clearInterval(timer)
      }
    }),
  }
  return {
    changes,
    skip,
    /** Runs inside the transaction of the write, and changes nothing for a collection without a log. */
    add: (resource: string, kind: ChangeKind, id: string) => {
      if (!isStarted(resource)) return
      const number = Number(next.get(resource)?.[0] ?? begin(resource))
      insert.run(resource, number, kind, id)
      prune.run(resource, number - keptChanges)
    },
  }
}
