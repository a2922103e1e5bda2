import type pg from 'pg'
import type { SQLOutputValue } from 'node:sqlite'
import { openPostgresDatabase } from '../../postgres/database.ts'
import { recordsPerStep, type Document } from '../records.ts'
import { toKeys } from './keys.ts'

type Row = Readonly<Record<string, SQLOutputValue>>

const columns = ['resource', 'id', 'document', 'version', 'created_at', 'updated_at'] as const

const insert = `INSERT INTO records (${columns.join()}, keys) SELECT * FROM unnest(
  $1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::jsonb[])`

/** Writes records of SQLite, which were checked, to an empty database, or nothing. `prepare` runs before. */
export async function fillDatabase(
  url: string,
  rows: Iterable<Row>,
  prepare: () => Promise<void>,
): Promise<void> {
  const database = await openPostgresDatabase(url)
  try {
    await database.alter(async (client) => {
      await client.query('LOCK TABLE records IN EXCLUSIVE MODE')
      const { rowCount } = await client.query('SELECT 1 FROM records LIMIT 1')
      if (rowCount !== 0) throw new Error('the database is not empty')
      await prepare()
      await insertRows(client, rows)
      await client.query(`DELETE FROM record_counts;
        INSERT INTO record_counts SELECT resource, 0, count(*) FROM records GROUP BY resource`)
    })
  } finally {
    await database.close()
  }
}

async function insertRows(client: pg.Client, rows: Iterable<Row>): Promise<void> {
  let part: Row[] = []
  const insertPart = async () => {
    const keys = part.map(({ document }) => toKeys(JSON.parse(String(document)) as Document))
    const lists = columns.map((name) => part.map((row) => row[name]))
    await client.query(insert, [...lists, keys.map((each) => JSON.stringify(each))])
    part = []
  }
  for (const row of rows) {
    part.push(row)
    if (part.length === recordsPerStep) await insertPart()
  }
  await insertPart()
}
