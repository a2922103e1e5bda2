import { openPostgresDatabase, createQuery, type Query } from '../postgres/database.ts'
import { prepareClient } from '../postgres/hosts.ts'
import { createPostgresDialect } from '../records/postgres/dialect.ts'
import { toKeys } from '../records/postgres/keys.ts'
import { recordsPerStep } from '../records/records.ts'
import type { Archivable, ArchivedRecord } from './archive.ts'
import { selectLoad, readRecords, toReplaceStatements } from './read-records.ts'

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
        const run = <Outcome>(work: (query: Query) => Promise<Outcome>) => work(createQuery(client))
        yield* readRecords(createPostgresDialect({ ...database, run }))
      } finally {
        await client.end()
        await database.close()
      }
    },
    replace: async (records) => {
      const database = await openPostgresDatabase(url)
      try {
        await database.alter(async (client) => {
          const query = createQuery(client)
          await query({ text: 'LOCK TABLE records IN EXCLUSIVE MODE' })
          const toStatements = async () => {
            const [row] = (await query({ text: selectLoad })).rows
            return toReplaceStatements(fileCollections, row?.[0])
          }
          await query({ text: (await toStatements()).before })
          await insertAll(query, records)
          await query({ text: (await toStatements()).after + countAll })
        })
      } finally {
        await database.close()
      }
    },
  }
}

const insert = 'INSERT INTO records SELECT * FROM json_populate_recordset(NULL::records, $1)'

const countAll = `INSERT INTO record_counts
  SELECT resource, 0, count(*) FROM records GROUP BY resource`

/** One statement has at most so many characters of documents. */
const maxLength = 1024 ** 2

async function insertAll(query: Query, records: AsyncIterable<ArchivedRecord>): Promise<void> {
  let rows: unknown[] = []
  let length = 0
  const insertRows = async () => {
    await query({ text: insert, values: [JSON.stringify(rows)] })
    rows = []
    length = 0
  }
  for await (const { collection, id, version, createdAt, updatedAt, ...record } of records) {
    const document = JSON.stringify(record.document)
    const keys = toKeys(record.document)
    const times = { created_at: createdAt, updated_at: updatedAt }
    rows.push({ resource: collection, id, document, keys, version, ...times })
    length += document.length
    if (rows.length === recordsPerStep || length > maxLength) await insertRows()
  }
  await insertRows()
}
