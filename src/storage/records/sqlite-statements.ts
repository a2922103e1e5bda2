import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** A statement of this text, prepared when it is first asked for. To be run to its end at once. */
export type Prepare = (sql: string) => StatementSync

/** Lists have as many texts as there are ways to combine filters; these are the ones in use. */
const maxStatements = 100

/** Keeps the statements that were used last: preparing one takes as long as listing ten records. */
export function createStatements(database: DatabaseSync): Prepare {
  const kept = new Map<string, StatementSync>()
  return (sql) => {
    const statement = kept.get(sql) ?? database.prepare(sql)
    kept.delete(sql)
    kept.set(sql, statement)
    const [oldest] = kept.keys()
    if (kept.size > maxStatements && oldest !== undefined) kept.delete(oldest)
    return statement
  }
}
