import type { DatabaseSync } from 'node:sqlite'
import { toPlaceRange } from '../../sandboxes/places.ts'
import type { PlacedRecords } from '../../sandboxes/lifecycle.ts'
import { countAll, createMeasure, findNames, forgetStatements } from '../dialect.ts'
import { createLists } from '../lists.ts'
import { openOnce, type RecordLimits, type WriteStep } from '../records.ts'
import { createChangeLog } from './changes.ts'
import { openCollection, prepareWrites } from './collection.ts'
import { createCommits, type Commits, type WritePart } from './commits.ts'
import { createSqliteDialect } from './dialect.ts'
import { createRecordCache } from './record-cache.ts'
import { createStatements } from './statements.ts'
import { createReadThread, type ReadThread } from './thread.ts'

export function createSqliteRecords(
  database: DatabaseSync,
  limits: RecordLimits = {},
): PlacedRecords & Pick<Commits, 'settle' | 'assertInPlace'> & Pick<ReadThread, 'close'> {
  const prepare = createStatements(database)
  const path = database.location()
  const thread = path === null ? undefined : createReadThread(path)
  const dialect = createSqliteDialect(database, prepare, thread)
  const cache = createRecordCache(prepare)
  const writes = prepareWrites(prepare)
  const log = createChangeLog({ dialect, prepare, cache, write: (part) => write(part) })
  const { write, ...commits } = createCommits(database, { cache, log }, limits)
  const collection = openOnce((resource) => ({
    ...openCollection(resource, { writes, cache, write, log }),
    ...createLists(dialect, resource),
  }))
  const stepToParts = (step: WriteStep): readonly WritePart[] => {
    const { toParts, toMatch } = collection(step.collection)
    if (step.kind !== 'none') return toParts(step)
    const { sql, values } = toMatch(step.filters)
    return [() => (prepare(sql).get(...values) === undefined ? 1 : 0)]
  }
  const commit = async (steps: readonly WriteStep[]) => {
    const parts = steps.map(stepToParts)
    let done = await write(...parts.flat())
    const failed = parts.findIndex(({ length }) => (done -= length) < 0)
    return failed === -1 ? undefined : failed
  }
  const close = async () => thread?.close()
  const forget = async (place: string) => {
    await write(() => {
      for (const sql of forgetStatements) prepare(sql).run(...toPlaceRange(place))
      return 1
    })
  }
  const { changes } = log
  const counts = countAll(dialect)
  const names = { findNames: findNames(dialect), forget, ...createMeasure(dialect) }
  return { collection, commit, changes, counts, ...names, ...commits, close }
}
