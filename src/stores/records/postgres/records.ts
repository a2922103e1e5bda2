import { openPostgresDatabase, type Query } from '../../postgres/database.ts'
import { createLists } from '../lists.ts'
import { openOnce, toMaxRecords } from '../records.ts'
import type { MatchStep, RecordLimits, WriteStep } from '../records.ts'
import { toPlaceRange } from '../../sandboxes/places.ts'
import type { PlacedRecords } from '../../sandboxes/lifecycle.ts'
import { countAll, createMeasure, findNames, forgetStatements } from '../dialect.ts'
import { createChangeLog } from './changes.ts'
import { openCollection } from './collection.ts'
import { createPostgresDialect, toNumbered } from './dialect.ts'

export async function openPostgresRecords(url: string, limits: RecordLimits = {}) {
  const database = await openPostgresDatabase(url)
  const dialect = createPostgresDialect(database)
  const log = createChangeLog(database, dialect)
  const collection = openOnce((resource) => ({
    ...openCollection(resource, {
      database,
      log,
      commit,
      maxRecords: toMaxRecords(resource, limits),
    }),
    ...createLists(dialect, resource),
  }))
  const commit = async (steps: readonly WriteStep[]) => {
    const failed = await database.transact(async (query) => {
      for (const [index, step] of steps.entries()) {
        const { hasRun, toMatch } = collection(step.collection)
        const isDone = step.kind === 'none' ? hasNone(query, toMatch, step) : hasRun(query, step)
        if (!(await isDone)) return index
      }
      await log.add(query, steps)
      return undefined
    })
    if (failed === undefined) log.announce(steps)
    const step = failed === undefined ? undefined : steps[failed]
    if (step?.kind === 'create') await collection(step.collection).assertTaken(step.records)
    return failed
  }
  const records: PlacedRecords = {
    collection,
    commit,
    changes: log.changes,
    counts: countAll(dialect),
    findNames: findNames(dialect),
    forget: async (place) => {
      for (const sql of forgetStatements) await dialect.run(sql, toPlaceRange(place))
    },
    ...createMeasure(dialect),
  }
  return { records, close: database.close }
}

type ToMatch = ReturnType<typeof createLists>['toMatch']

async function hasNone(query: Query, toMatch: ToMatch, step: WriteStep & MatchStep) {
  const { sql, values } = toMatch(step.filters)
  // Transactions do not see the records that others are creating.
  const lock = `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`
  const [filter] = step.filters
  await query({ text: lock, values: [JSON.stringify([step.collection, filter])] })
  return (await query({ text: toNumbered(sql), values: [...values] })).rows.length === 0
}
