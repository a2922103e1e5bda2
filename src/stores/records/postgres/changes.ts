import type { PostgresDatabase, Query } from '../../postgres/database.ts'
import { keptChanges } from '../../../config/limits.ts'
import { createRead, loggedDocument, shareWakeUps } from '../changes.ts'
import { withoutPlace } from '../../sandboxes/places.ts'
import type { SqlDialect } from '../dialect.ts'
import type { ChangeKind, ChangeLog, WriteStep } from '../records.ts'
import { clearInterval, setInterval, setTimeout } from '../../../timers.ts'

const channel = 'vitrine_changes'
/** A notification locks the whole database, so one stands for all writes of this time. */
const notifyMs = 20
/** Notifications are lost with their connection. */
const pollMs = 2000

const add = `WITH given AS (
    SELECT * FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS given (id, kind, place)
  ), numbered AS (
    INSERT INTO change_numbers AS numbers VALUES ($1, $4::bigint + cardinality($2::text[]))
    ON CONFLICT (resource) DO UPDATE SET last = numbers.last + cardinality($2::text[])
    RETURNING last
  ), pruned AS (
    DELETE FROM changes WHERE resource = $1
      AND number <= (SELECT last FROM numbered) - ${String(keptChanges)}
  )
  INSERT INTO changes
  SELECT $1, last - cardinality($2::text[]) + place, kind, given.id, ${loggedDocument('$1')}, version,
    created_at, updated_at
  FROM given CROSS JOIN numbered LEFT JOIN records ON resource = $1 AND records.id = given.id`
const start = 'INSERT INTO change_numbers VALUES ($1, $2) ON CONFLICT DO NOTHING'
const skip = 'UPDATE change_numbers SET last = last + 1 WHERE resource = $1'
const skipOrStart = `INSERT INTO change_numbers AS numbers VALUES ($1, $2)
  ON CONFLICT (resource) DO UPDATE SET last = numbers.last + 1`

const kinds = { create: 'created', change: 'changed', remove: 'deleted' } as const

export type OwnLog = ReturnType<typeof createChangeLog>

export function createChangeLog(database: PostgresDatabase, dialect: SqlDialect) {
  const started = new Set<string>()
  const isStarted = (name: string) => started.has(withoutPlace(name))
  const { announce, watch } = createWakeUps(database)
  const run = async (text: string, ...values: unknown[]) => {
    await database.run((query) => query({ text, values }))
  }
  const changes: ChangeLog = {
    start: async (name) => {
      started.add(name)
      // A number that no earlier database of this name has had.
      await run(start, name, Date.now())
    },
    read: createRead(dialect),
    skip: async (name) => {
      await run(skip, name)
      announce()
    },
    watch,
  }
  return {
    changes,
    announce: (steps: readonly WriteStep[]) => {
      if (steps.some(({ collection }) => isStarted(collection))) announce()
    },
    isStarted,
    /** Call this last in a transaction: it locks the numbers of each collection until the commit, sorted against deadlocks. */
    add: async (query: Query, steps: readonly WriteStep[]): Promise<void> => {
      const ofCollections = Map.groupBy(steps, ({ collection }) => collection)
      const logged = [...ofCollections].filter(([name]) => isStarted(name)).sort()
      for (const [name, own] of logged) {
        const written = own.flatMap(toChanges)
        const [ids, names] = [written.map(([id]) => id), written.map(([, kind]) => kind)]
        if (ids.length > 0)
          await query({ name: 'log', text: add, values: [name, ids, names, Date.now()] })
        if (own.some(({ kind }) => kind === 'replace'))
          await query({ text: skipOrStart, values: [name, Date.now()] })
      }
    },
  }
}

function toChanges(step: WriteStep): [id: string, kind: ChangeKind][] {
  const { kind } = step
  if (kind === 'none' || kind === 'exist' || kind === 'replace') return []
  return step.records.map(({ id }) => [id, kinds[kind]])
}

function createWakeUps(database: PostgresDatabase) {
  let wakeOwn: (() => void) | undefined
  let isNotifying = false
  const notify = () => {
    isNotifying = false
    database.run((query) => query({ text: `NOTIFY ${channel}` })).catch(() => undefined)
  }
  return {
    announce: () => {
      wakeOwn?.()
      if (!isNotifying) setTimeout(notify, notifyMs).unref()
      isNotifying = true
    },
    watch: shareWakeUps((wakeAll) => {
      wakeOwn = wakeAll
      const stop = database.listen(channel, wakeAll)
      const timer = setInterval(wakeAll, pollMs)
      return () => {
        clearInterval(timer)
        stop()
        wakeOwn = undefined
      }
    }),
  }
}
