import { openPostgresDatabase, toQuery, type Query } from '../postgres/database.ts'
import { prepareClient } from '../postgres/hosts.ts'
import { createPostgresDialect } from '../records/postgres/dialect.ts'
import { toKeys } from '../records/postgres/keys.ts'
import { recordsPerStep } from '../records/records.ts'
import type { Archivable, ArchivedRecord } from './archive.ts'
import { readRecords, toReplacement } from './read-records.ts'

const snapshot = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
  SET LOCAL idle_in_transaction_session_timeout = 0`

export function createPostgresArchive(url: string, fileCollections: readonly string[]): Archivable {
  return {
    read: async function* () {
      const database = await openPostgresDatabase(url)
      const client = await database.connect()
      try {
        await prepareClient(client, 0)
        await client.query(snapshot)
        const run = <Outcome>(work: (query: Query) => Promise<Outcome>) => work(toQuery(client))
        yield* readRecords(createPostgresDialect({ ...database, run }), fileCollections)
      } finally {
        await client.end()
        await database.close()
      }
    },
    replace: async (records) => {
      const database = await openPostgresDatabase(url)
      const { before, after } = toReplacement(fileCollections)
      try {
        await database.alter(async (client) => {
          const query = toQuery(client)
          await query({ text: 'LOCK TABLE records IN EXCLUSIVE MODE' })
          await client.query(before)
          await insertAll(query, records)
          await client.query(after)
          await query({ text: countAll })
        })
      } finally {
        await database.close()
      }
    },
  }
}

const insert = `INSERT INTO records (resource, id, document, version, created_at, updated_at, keys)
  SELECT * FROM unnest(
    $1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::jsonb[])`

const countAll = `INSERT INTO record_counts
  SELECT resource, 0, count(*) FROM records GROUP BY resource`

/** One statement has at most so many characters of documents. */
const maxLength = 1024 ** 2

async function insertAll(query: Query, records: AsyncIterable<ArchivedRecord>): Promise<void> {
  let rows: unknown[][] = []
  let length = 0
  const insertRows = async () => {
    const columns = Array.from({ length: 7 }, (_, index) => rows.map((row) => row[index]))
    await query({ text: insert, values: columns })
    rows = []
    length = 0
  }
  for await (const { collection, id, document, version, createdAt, updatedAt } of records) {
    const [text, keys] = [document, toKeys(document)].map((value) => JSON.stringify(value))
    rows.push([collection, id, text, version, createdAt, updatedAt, keys])
    length += String(text).length
    if (rows.length === recordsPerStep || length > maxLength) await insertRows()
  }
  await insertRows()
}
