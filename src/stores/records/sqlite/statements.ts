import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite'

type Row = readonly SQLOutputValue[]

/** A statement that is run to its end at once. */
interface Statement {
  get: (...values: SQLInputValue[]) => Row | undefined
  all: (...values: SQLInputValue[]) => readonly Row[]
}

/** The statement of this text, whose rows are lists of the values of its columns. */
export type Prepare = (sql: string) => Statement

/** Lists have as many texts as there are ways to combine filters; these are the ones in use. */
const maxStatements = 100

/**
 * Keeps the statements that were used last: preparing one takes longer than reading the twenty
 * records of a page. Rows that are no objects are read in two thirds of the time.
 */
export function createStatements(database: DatabaseSync): Prepare {
  const kept = new Map<string, Statement>()
  return (sql) => {
    const statement = kept.get(sql) ?? prepare(database, sql)
    kept.delete(sql)
    kept.set(sql, statement)
    const [oldest] = kept.keys()
    if (kept.size > maxStatements && oldest !== undefined) kept.delete(oldest)
    return statement
  }
}

function prepare(database: DatabaseSync, sql: string): Statement {
  const statement = database.prepare(sql)
  statement.setReturnArrays(true)
  // Its types know objects alone.
  return statement as unknown as Statement
}
