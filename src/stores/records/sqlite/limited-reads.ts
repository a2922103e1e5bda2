import type { DatabaseSync } from 'node:sqlite'
import type { Condition, Row } from '../dialect.ts'
import type { Prepare } from './statements.ts'

// Node keeps a handle for each call of a function until the next row: so it is called for few records.
export const goesOn: Condition = { sql: '(rowid % 16 OR goes_on())', values: [] }

/** Milliseconds on a clock that all threads share. */
export const now = () => Number(process.hrtime.bigint() / 1000n) / 1000

/** Reads the rows of a query that has the condition `goesOn`: undefined if it was stopped. */
export function createLimitedReads(database: DatabaseSync, prepare: Prepare) {
  let check = () => false
  database.function('goes_on', () => {
    if (check()) throw new Error('the query was stopped')
    return 1
  })
  return ({ sql, values }: Condition, isOver: () => boolean): readonly Row[] | undefined => {
    const own = { isStopped: false }
    check = () => (own.isStopped ||= isOver())
    try {
      return prepare(sql).all(...values)
    } catch (error) {
      if (!own.isStopped) throw error
      // Node would throw the error of the function again at the next use of the statement.
      prepare.forget(sql)
      return undefined
    } finally {
      check = () => false
    }
  }
}
