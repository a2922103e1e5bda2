import type { PostgresDatabase, Query } from '../../postgres/database.ts'
import { noMoreRecords } from '../../store-failure.ts'
import { columns, toStoredRecord } from '../dialect.ts'
import { clearInSteps, isStorable, recordsPerStep } from '../records.ts'
import type { Collection, NewRecord, Records, RecordStep } from '../records.ts'
import type { OwnLog } from './changes.ts'
import { toKeys } from './keys.ts'

// Few server processes run at once, so two rarely wait for the same row.
const shard = 'abs(pg_backend_pid() % 64)'

const countWritten = (written: string, sign: '' | '-') => `WITH written AS (
    ${written} RETURNING resource
  ), counted AS (
    INSERT INTO record_counts (resource, shard, count)
    SELECT resource, ${shard}, ${sign}count(*) FROM written GROUP BY resource
    ON CONFLICT (resource, shard) DO UPDATE SET count = record_counts.count + excluded.count
  )
  SELECT count(*) FROM written`

// A join would keep its plan although the table grows.
const listed = (list: string) => `(${list})[array_position($2::text[], id)]`

/** `$2` is a list of ids, and other parameters belong to them; the result is the number of records. */
const statements = {
  find: `SELECT ${columns} FROM records WHERE resource = $1 AND id = $2`,
  // Concurrent creates do not see each other, so the limit may be exceeded by a few records.
  create: countWritten(
    `INSERT INTO records (resource, id, document, keys, version, created_at, updated_at)
    SELECT $1::text, id, document, keys, 1, created_at, created_at
    FROM unnest($2::text[], $3::text[], $4::jsonb[], $5::text[])
      AS given (id, document, keys, created_at)
    WHERE $6::bigint IS NULL OR cardinality($2::text[]) +
      (SELECT coalesce(sum(count), 0) FROM record_counts WHERE resource = $1) <= $6
    ON CONFLICT DO NOTHING`,
    '',
  ),
  change: `WITH written AS (
      UPDATE records SET document = ${listed('$3::text[]')}, keys = ${listed('$4::jsonb[]')},
        version = version + 1, updated_at = ${listed('$5::text[]')}
      WHERE resource = $1 AND id = ANY ($2) AND version = ${listed('$6::bigint[]')} RETURNING 1
    )
    SELECT count(*) FROM written`,
  remove: countWritten(
    `DELETE FROM records WHERE resource = $1 AND id = ANY ($2)
      AND version = coalesce(${listed('$3::bigint[]')}, version)`,
    '-',
  ),
  removeAll: countWritten('DELETE FROM records WHERE resource = $1', '-'),
  clear: countWritten(
    `DELETE FROM records WHERE resource = $1 AND id IN (
      SELECT id FROM records WHERE resource = $1
      ORDER BY created_at, id LIMIT ${String(recordsPerStep)}
    )`,
    '-',
  ),
  // Waits for a transaction that removes them, and lets none remove them; they can be changed.
  exist: `SELECT count(*) FROM (
      SELECT 1 FROM records WHERE resource = $1 AND id = ANY ($2) FOR KEY SHARE
    ) AS kept`,
}

interface Backend extends Pick<Records, 'commit'> {
  database: PostgresDatabase
  log: OwnLog
  maxRecords: number | undefined
}

export function openCollection(resource: string, { database, log, commit, maxRecords }: Backend) {
  const { run, count, hasRun } = createRuns(resource, maxRecords)
  const find = async (id: string) => {
    const row = await database.run((query) => run(query, 'find', toId(id)))
    return row && toStoredRecord(row)
  }
  const write = async (step: RecordStep) => {
    if (!log.isStarted(resource)) return database.run((query) => hasRun(query, step))
    return (await commit([{ collection: resource, ...step }])) === undefined
  }
  /** Throws after a create that failed, unless an id is taken. */
  const assertTaken = async (records: readonly NewRecord[]) => {
    if (maxRecords === undefined) return
    for (const { id } of records) if (await find(id)) return
    throw noMoreRecords(resource, maxRecords)
  }
  return {
    find,
    create: async (record) => {
      const isCreated = await write({ kind: 'create', records: [record] })
      if (!isCreated) await assertTaken([record])
      return isCreated
    },
    change: (record) => write({ kind: 'change', records: [record] }),
    remove: (id, version) => write({ kind: 'remove', records: [{ id, version }] }),
    clear: async () => {
      const removed = await clearInSteps(() => database.run((query) => count(query, 'clear')))
      await log.changes.skip(resource)
      return removed
    },
    hasRun,
    assertTaken,
  } satisfies Partial<Collection> & Record<'hasRun' | 'assertTaken', unknown>
}

function createRuns(resource: string, maxRecords: number | undefined) {
  const run = async (query: Query, name: keyof typeof statements, ...values: unknown[]) =>
    (await query({ name, text: statements[name], values: [resource, ...values] })).rows[0]
  const count = async (...call: Parameters<typeof run>) => Number((await run(...call))?.[0])
  const hasRun = async (query: Query, step: RecordStep): Promise<boolean> => {
    if (step.kind === 'replace') return hasReplaced(query, step.records)
    const ids = step.kind === 'exist' ? step.ids : step.records.map(({ id }) => id)
    const lists = [ids.map(toId), ...toLists(step)]
    if (step.kind === 'create') lists.push(maxRecords)
    return (await count(query, step.kind, ...lists)) === ids.length
  }
  const hasReplaced = async (query: Query, records: readonly NewRecord[]) => {
    await run(query, 'removeAll')
    for (let start = 0; start < records.length; start += recordsPerStep) {
      const part = records.slice(start, start + recordsPerStep)
      if (!(await hasRun(query, { kind: 'create', records: part }))) return false
    }
    return true
  }
  return { run, count, hasRun }
}

const toId = (id: string) => (isStorable(id) ? id : '')

function toLists(step: Exclude<RecordStep, { kind: 'replace' }>): unknown[] {
  if (step.kind === 'exist') return []
  if (step.kind === 'remove') return [step.records.map(({ version }) => version)]
  const documents = step.records.map(({ document }) => JSON.stringify(document))
  const keys = step.records.map(({ document }) => JSON.stringify(toKeys(document)))
  if (step.kind === 'create')
    return [documents, keys, step.records.map(({ createdAt }) => createdAt)]
  const times = step.records.map(({ updatedAt }) => updatedAt)
  return [documents, keys, times, step.records.map(({ version }) => version)]
}
