import type { SQLOutputValue } from 'node:sqlite'
import { isObject } from '../../config/is-object.ts'
import { findJson } from '../../config/find-json.ts'
import { collectionNames } from '../collection-names.ts'
import { toPlaceName, toPlaceRange, withoutPlace } from '../sandboxes/places.ts'
import { StoreFailure } from '../store-failure.ts'
import type { FieldValue, Records, StoredRecord, TextOperator } from './records.ts'

export type Value = SQLOutputValue

export type Row = readonly Value[]

export interface Condition {
  sql: string
  values: Row
}

export interface SqlDialect {
  run: (sql: string, values: Row) => Promise<readonly Row[]>
  /** The rows of the first of these queries that ends in time. All find the same rows. */
  read: (
    queries: readonly Condition[],
    isCancelled: (() => boolean) | undefined,
  ) => Promise<readonly Row[]>
  /** The rows of one of them, in parts, without sorting them again. Undefined if that is impossible now. */
  readIds?: (
    queries: readonly Condition[],
    isCancelled: (() => boolean) | undefined,
  ) => AsyncIterable<readonly Row[]> | undefined
  /** The condition is always true; it ends a statement that takes too long. */
  limit?: Condition
  /** False where the index cannot be created now; queries work without it. */
  createIndex: (name: string, definition: string) => Promise<boolean>
  quote: (text: string) => string
  /** A field of the document as SQL; never NULL, so that it can be compared. */
  toColumn: (path: readonly string[]) => string
  toOperand: (value: FieldValue) => Value
  /** SQL of the smallest number, text, boolean and missing value in `toColumn`, and of its end. */
  starts: readonly string[]
  /** Whether a field matches one of the lowercase texts. A string is a column of the table. */
  toTextCondition: (
    operator: TextOperator,
    fields: readonly (string | readonly string[])[],
    texts: readonly string[],
  ) => Condition
  toElementCondition: (path: readonly string[], values: readonly FieldValue[]) => Condition
  toSource: (index: string) => string
  idIndex: string
  /** Queries of one number: the bytes of the database, and the sum of `size` in the documents of a collection. */
  sizes: { database: string; files: string }
}

export interface Term {
  column: string
  isDescending: boolean
}

export const oldestFirst = 'records_oldest_first'

export const columns = 'id, document, version, created_at, updated_at'

export function toStoredRecord([id, text, version, createdAt, updatedAt]: Row): StoredRecord {
  return {
    id: String(id),
    document: parseDocument(String(text)),
    version: Number(version),
    createdAt: String(createdAt),
    updatedAt: String(updatedAt),
  }
}

function parseDocument(text: string) {
  const document = findJson(text)
  if (isObject(document)) return document
  throw new StoreFailure('unavailable', 'a stored document is not a JSON object')
}

const countEach = `SELECT CASE WHEN resource LIKE '%/%' THEN '${collectionNames.sandboxRecords}' ELSE resource END AS name,
  sum(count) FROM record_counts GROUP BY 1`

export const countAll =
  ({ run }: Pick<SqlDialect, 'run'>): Records['counts'] =>
  async () =>
    (await run(countEach, [])).map(([name, count]) => [String(name), Number(count)])

const ofPlace = 'resource >= ? AND resource < ?'

export const findNames =
  ({ run }: Pick<SqlDialect, 'run'>) =>
  async (place: string): Promise<readonly string[]> => {
    const sql = `SELECT DISTINCT resource FROM record_counts WHERE ${ofPlace} ORDER BY resource`
    return (await run(sql, toPlaceRange(place))).map(([name]) => String(name))
  }

export const forgetStatements = ['record_counts', 'change_numbers', 'changes'].map(
  (table) => `DELETE FROM ${table} WHERE ${ofPlace}`,
)

/** A collection, and those of its name in all sandboxes. */
export const ofAllPlaces =
  'WHERE resource IN (SELECT resource FROM record_counts WHERE resource = ? OR resource LIKE ?)'

const measurePlace = `SELECT resource, count(*), sum(octet_length(document))
  FROM records WHERE ${ofPlace} GROUP BY resource ORDER BY resource`

export function createMeasure({ run, sizes }: Pick<SqlDialect, 'run' | 'sizes'>) {
  const read = async (sql: string, values: Row) => Number((await run(sql, values))[0]?.[0] ?? 0)
  return {
    measureDatabase: () => read(sizes.database, []),
    measureFiles: (collection: string) =>
      read(sizes.files, [collection, toPlaceName('%', collection)]),
    measurePlace: async (place: string) =>
      (await run(measurePlace, toPlaceRange(place))).map(([name, count, bytes]) => ({
        collection: withoutPlace(String(name)),
        count: Number(count),
        bytes: Number(bytes),
      })),
  }
}
