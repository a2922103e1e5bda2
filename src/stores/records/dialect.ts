import type { SQLOutputValue } from 'node:sqlite'
import type { FieldValue, TextOperator } from './records.ts'

export type Value = SQLOutputValue

/** The values of the selected columns. */
export type Row = readonly Value[]

/** A part of a WHERE with the values of its question marks. */
export interface Condition {
  sql: string
  values: readonly Value[]
}

/** What the planner has to know about a database. */
export interface Dialect {
  /** Runs one statement that has question marks for the values. */
  run: (sql: string, values: readonly Value[]) => Promise<readonly Row[]>
  /** Creates an index. False where that has to wait, and queries do without. */
  createIndex: (name: string, definition: string) => Promise<boolean>
  /** A string literal. */
  quote: (text: string) => string

  /** The value of a field of the document as SQL; never NULL, so that it can be compared. */
  toColumn: (path: readonly string[]) => string
  /** What `toColumn` is compared with. Null stands for the absence of a value. */
  toOperand: (value: FieldValue) => Value
  /** Where the values of each type start in the order of `toColumn`, as SQL. */
  starts: readonly { type: string; sql: string }[]
  /** Whether one of the fields has one of the texts, which are folded. A string is an own column. */
  toTextCondition: (
    operator: TextOperator,
    fields: readonly (string | readonly string[])[],
    texts: readonly string[],
  ) => Condition

  /** The table with the index that has to be used, where the database needs to be told. */
  toSource: (index: string) => string
  /** The index of the primary key. */
  idIndex: string
  /** Stands before a column that must not be searched for in an index. */
  unindexed: string
  /** Whether a comparison of rows can use an index on an expression. */
  seeksRowsByExpression: boolean
  /** Whether the first column has to be compared on its own too, to be estimated. */
  estimatesFirstColumn: boolean

  /** How many records one statement handles. */
  sizes: {
    /** Sent, without a filter. */
    page: number
    /** Tested, and sent if they match. */
    testedPage: number
    /** Tested, and counted or sorted. */
    test: number
    /** Counted in an index, without a filter. */
    count: number
  }
}
