import pg from 'pg'
import type { PostgresDatabase } from '../../postgres/database.ts'
import { notNeeded } from '../../store-failure.ts'
import { joinOr } from '../conditions.ts'
import { ofAllPlaces, type Condition, type SqlDialect } from '../dialect.ts'
import type { TextOperator } from '../records.ts'
import { marks, toFoldedName, valueToKey, toKeyName, toObjectName } from './keys.ts'

export function createPostgresDialect(
  database: Pick<PostgresDatabase, 'run' | 'read' | 'readParts' | 'alter'>,
): SqlDialect {
  return {
    run: async (sql, values) =>
      (await database.run((query) => query(toStatement({ sql, values })))).rows,
    read: async ([query], isCancelled) => {
      if (isCancelled?.() === true) throw notNeeded()
      return query ? (await database.read(toStatement(query))).rows : []
    },
    readIds: ([query]) => query && database.readParts(toStatement(query)),
    createIndex: async (name, definition) => {
      const find = 'SELECT 1 FROM pg_indexes WHERE schemaname = current_schema() AND indexname = $1'
      const { rows } = await database.run((query) => query({ text: find, values: [name] }))
      const statement = `CREATE INDEX IF NOT EXISTS ${name} ON records ${definition}`
      if (rows.length === 0) await database.alter((client) => client.query(statement))
      return true
    },
    quote: pg.escapeLiteral,
    sizes: {
      database: 'SELECT pg_database_size(current_database())',
      files: `SELECT sum((document::jsonb ->> 'size')::bigint) FROM records ${ofAllPlaces}`,
    },
    toColumn: (path) => `(coalesce(${toKeySql(path, toKeyName)}, '${marks.none}') COLLATE "C")`,
    toOperand: valueToKey,
    starts: Object.values(marks).map((mark) => `'${mark}'`),
    toTextCondition: (operator, fields, texts) => {
      const tests = fields.map((field) => textTests[operator](toFolded(field)))
      return joinOr(tests.flatMap((sql) => texts.map((text) => ({ sql, values: [text] }))))
    },
    toElementCondition: (path, values) => {
      const list = path.map((name) => ` -> ${pg.escapeLiteral(name)}`).join('')
      const sql = `(document::json${list})::jsonb @> ?::jsonb`
      return joinOr(values.map((value) => ({ sql, values: [JSON.stringify([value])] })))
    },
    toSource: () => 'records',
    idIndex: 'records_pkey',
  }
}

const textTests: Record<TextOperator, (folded: string) => string> = {
  contains: (folded) => `strpos(${folded}, ?) > 0`,
  startsWith: (folded) => `strpos(${folded}, ?) = 1`,
  endsWith: (folded) => `strpos(reverse(${folded}), reverse(?)) = 1`,
}

function toFolded(field: string | readonly string[]): string {
  if (typeof field === 'string') return `lower(${field})`
  const text = `lower(substr(${toKeySql(field, toKeyName)}, 2) COLLATE "C")`
  return `coalesce(${toKeySql(field, toFoldedName)}, ${text})`
}

function toKeySql(path: readonly string[], toName: (name: string) => string): string {
  const objects = path.slice(0, -1).map((name) => `-> ${pg.escapeLiteral(toObjectName(name))} `)
  return `keys ${objects.join('')}->> ${pg.escapeLiteral(toName(path.at(-1) ?? ''))}`
}

const toStatement = ({ sql, values }: Condition) => ({ text: toNumbered(sql), values: [...values] })

export function toNumbered(sql: string): string {
  let count = 0
  return sql.replaceAll(/'[^']*'|\?/g, (part) => (part === '?' ? `$${String(++count)}` : part))
}
