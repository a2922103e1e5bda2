import type { DatabaseSync } from 'node:sqlite'
import { isFull, StoreFailure } from '../../store-failure.ts'
import { isDamage, retryBusy } from '../../sqlite/database.ts'
import { joinOr, toMarks } from '../conditions.ts'
import { ofAllPlaces, type Condition, type SqlDialect } from '../dialect.ts'
import type { FieldValue, TextOperator } from '../records.ts'
import { ownId } from './folded.ts'
import { goesOn } from './limited-reads.ts'
import { createReader, createReadIds } from './reader.ts'
import type { Prepare } from './statements.ts'
import type { ReadThread } from './thread.ts'

/** SQLite orders numbers, then text, then blobs: a blob stands for every other value. */
const blobs = { false: "x'00'", true: "x'01'", none: "x'02'", end: "x'03'" }

export function createSqliteDialect(
  database: DatabaseSync,
  prepare: Prepare,
  thread?: ReadThread,
): SqlDialect {
  const toOperand = (value: FieldValue) => {
    if (value === null) return new Uint8Array([2])
    return typeof value === 'boolean' ? new Uint8Array([Number(value)]) : value
  }
  return {
    run: (sql, values) => retryBusy(() => prepare(sql).all(...values)),
    read: createReader(database, prepare, thread),
    ...(thread && { readIds: createReadIds(thread) }),
    limit: goesOn,
    createIndex: (name, definition) =>
      createIndex(database, `CREATE INDEX IF NOT EXISTS ${name} ON records ${definition}`),
    quote,
    sizes: {
      database: 'SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()',
      files: `SELECT sum(document ->> '$.size') FROM records ${ofAllPlaces}`,
    },
    toColumn: toSql,
    toOperand,
    starts: ['-9e999', "''", blobs.false, blobs.none, blobs.end],
    toTextCondition: (operator, fields, texts) => {
      const test = (text: string) => textTests[text === '' ? 'contains' : operator](text)
      const searched = fields.map(toSearched)
      return joinOr(texts.flatMap((text) => searched.map(test(text))))
    },
    toElementCondition: (path, values) => {
      const at = toPath(path)
      const isElement = `type NOT IN ('array', 'object') AND ${toComparable('type', 'value')}`
      const elements = `SELECT 1 FROM json_each(document, ${at}) WHERE ${isElement} IN (${toMarks(values)})`
      const sql = `json_type(document, ${at}) = 'array' AND EXISTS (${elements})`
      return { sql, values: values.map(toOperand) }
    },
    toSource: (index) => `records INDEXED BY ${index}`,
    idIndex: 'sqlite_autoindex_records_1',
  }
}

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`

function toSql(path: string | readonly string[]): string {
  if (typeof path === 'string') return path
  const at = toPath(path)
  return toComparable(`json_type(document, ${at})`, `document ->> ${at}`)
}

function toPath(path: readonly string[]): string {
  return quote(`$${path.map((name) => `.${JSON.stringify(name)}`).join('')}`)
}

/** JSON numbers are doubles: an integer of 64 bits is another number above 2^53, and node:sqlite rejects it. */
function toComparable(type: string, value: string): string {
  return (
    `CASE ${type} WHEN 'text' THEN ${value} WHEN 'integer' THEN CAST(${value} AS REAL) ` +
    `WHEN 'real' THEN ${value} WHEN 'false' THEN ${blobs.false} WHEN 'true' THEN ${blobs.true} ` +
    `ELSE ${blobs.none} END`
  )
}

/** False for a damaged record or a full database, which must open all the same. */
async function createIndex(database: DatabaseSync, sql: string): Promise<boolean> {
  try {
    await retryBusy(() => {
      database.exec(sql)
    })
    return true
  } catch (error) {
    if (isFull(error) || (error instanceof StoreFailure && isDamage(error.cause))) return false
    throw error
  }
}

type TextTest = (text: string) => (searched: string) => Condition

const textTests: Record<TextOperator, TextTest> = {
  contains: (text) => (searched) => ({ sql: `instr(${searched}, ?) > 0`, values: [text] }),
  startsWith: (text) => (searched) => ({ sql: `instr(${searched}, ?) = 1`, values: [text] }),
  // Of a text, substr() would count only the characters before a NUL.
  endsWith: (text) => (searched) => ({
    sql: `substr(CAST(${searched} AS BLOB), ?) = CAST(? AS BLOB)`,
    values: [-Buffer.byteLength(text), text],
  }),
}

/** The lowercase text, also of a number or boolean as JSON has it, or NULL. */
function toSearched(field: string | readonly string[]): string {
  if (typeof field === 'string')
    return field === 'id' ? toFoldedText([ownId], field) : `lower(${field})`
  const at = toPath(field)
  return (
    `CASE json_type(document, ${at}) WHEN 'text' THEN ${toFoldedText(field, `document ->> ${at}`)} ` +
    `WHEN 'null' THEN NULL WHEN 'array' THEN NULL WHEN 'object' THEN NULL ELSE document -> ${at} END`
  )
}

const toFoldedText = (path: readonly string[], text: string) =>
  `coalesce(folded ->> ${toPath(path)}, lower(${text}))`
