import type { SQLOutputValue } from 'node:sqlite'
import type { FieldValue, TextOperator } from './records.ts'

export type Value = SQLOutputValue

export type Row = readonly Value[]

export interface Condition {
  sql: string
  values: readonly Value[]
}

export interface Dialect {
  /** Runs one statement with question marks for the values. */
  run: (sql: string, values: readonly Value[]) => Promise<readonly Row[]>
  /** False where the index cannot be created now; queries work without it. */
  createIndex: (name: string, definition: string) => Promise<boolean>
  quote: (text: string) => string

  /** A field of the document as SQL; never NULL, so that it can be compared. */
  toColumn: (path: readonly string[]) => string
  /** The operand that `toColumn` is compared with. */
  toOperand: (value: FieldValue) => Value
  /** The lower limit of each type in the order of `toColumn`, as SQL. */
  starts: readonly { type: string; sql: string }[]
  /** Whether a field matches one of the lowercase texts. A string is a column of the table. */
  toTextCondition: (
    operator: TextOperator,
    fields: readonly (string | readonly string[])[],
    texts: readonly string[],
  ) => Condition

  /** The table, with the index to use where the database supports that. */
  toSource: (index: string) => string
  idIndex: string
  /** Prefix of a column that must not be searched for in an index. */
  unindexed: string
  /** Whether a comparison of rows can use an index on an expression. */
  seeksRowsByExpression: boolean
  /** Whether the first column must be compared separately too, for the planner's estimate. */
  estimatesFirstColumn: boolean

  /** How many records one statement handles: sent, tested and sent, tested, counted in an index. */
  sizes: {
    page: number
    testedPage: number
    test: number
    count: number
  }
}
