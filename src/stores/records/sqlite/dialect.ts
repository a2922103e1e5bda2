import type { DatabaseSync } from 'node:sqlite'
import { isFull, StoreFailure } from '../../store-failure.ts'
import { isDamage, retryWhileBusy } from '../../sqlite/database.ts'
import { toLowerText, toMarks } from '../conditions.ts'
import type { Dialect, Value } from '../dialect.ts'
import type { FieldValue } from '../records.ts'
import type { Prepare } from './statements.ts'

/** SQLite orders numbers, then text, then blobs: a blob stands for every other value. */
const blobs = { false: "x'00'", true: "x'01'", none: "x'02'", end: "x'03'" }

export function createSqliteDialect(database: DatabaseSync, prepare: Prepare): Dialect {
  addFunctions(database)
  const toOperand = (value: FieldValue) => {
    if (value === null) return new Uint8Array([2])
    return typeof value === 'boolean' ? new Uint8Array([Number(value)]) : value
  }
  return {
    run: (sql, values) => retryWhileBusy(() => prepare(sql).all(...values)),
    createIndex: (name, definition) =>
      createIndex(database, `CREATE INDEX IF NOT EXISTS ${name} ON records ${definition}`),
    quote,
    toColumn: toSql,
    toOperand,
    starts: ['-9e999', "''", blobs.false, blobs.none, blobs.end],
    // One call for all fields and texts: passing the values to JavaScript takes most of the time.
    toTextCondition: (operator, fields, texts) => {
      const values = [String(fields.length), ...fields.map(toSql), toMarks(texts)].join(', ')
      return { sql: `${operator}(${values})`, values: texts }
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
    unindexed: '+',
    seeksRows: false,
    sizes: { page: 250, test: 2000 },
    isBlocking: true,
  }
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

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
    await retryWhileBusy(() => {
      database.exec(sql)
    })
    return true
  } catch (error) {
    if (isFull(error) || (error instanceof StoreFailure && isDamage(error.cause))) return false
    throw error
  }
}

const textMethods = {
  contains: 'includes',
  startsWith: 'startsWith',
  endsWith: 'endsWith',
} as const

/** SQLite's own functions know the case of ASCII letters only. */
function addFunctions(database: DatabaseSync): void {
  const options = { deterministic: true, varargs: true }
  for (const [operator, test] of Object.entries(textMethods)) {
    database.function(operator, options, (count, ...values) => {
      const parts = values.splice(Number(count))
      const isMatch = values.some((value) => {
        const text = toSearchedText(value)
        return text !== undefined && parts.some((part) => text[test](String(part)))
      })
      return isMatch ? 1 : 0
    })
  }
}

function toSearchedText(value: Value): string | undefined {
  if (!(value instanceof Uint8Array)) return toLowerText(value)
  return value[0] === 2 ? undefined : String(value[0] === 1)
}
