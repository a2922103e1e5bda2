import { setImmediate } from 'node:timers/promises'
import { StoreFailure } from '../failure.ts'

/** What a resource stores of one record, as JSON: its fields by name. */
export type Document = Readonly<Record<string, unknown>>

export interface StoredRecord {
  id: string
  document: Document
  /** 1 when created; grows by one with every change. */
  version: number
  /** ISO 8601 in UTC, to the millisecond. */
  createdAt: string
  updatedAt: string
}

/** Where the last page of a list ended. */
export type Position = Pick<StoredRecord, 'id' | 'createdAt'>

/** A change to the record that had this version, and to no other. */
export interface Change {
  id: string
  /** The version the caller has read. */
  version: number
  document: Document
  updatedAt: string
}

/** How text is found in a field, in any letter case. */
const textOperators = ['contains', 'startsWith', 'endsWith'] as const
export type TextOperator = (typeof textOperators)[number]

export function isOfText(operator: Operator): operator is TextOperator {
  return textOperators.some((known) => known === operator)
}

/** How values of a field are compared; those that are not for text are exact. */
export type Operator = 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte' | TextOperator

/**
 * A field is one of the document, or `_id`, `createdAt` or `updatedAt`. Its name stands in the
 * statement, so it comes from a definition and never from a client.
 */
export interface Filter {
  field: string
  operator: Operator
  /** One of them has to fit; with `ne` none may be equal. A record without the field fits `ne` alone. */
  values: readonly (string | number)[]
}

export interface SortTerm {
  field: string
  isDescending: boolean
}

/** Which records of a resource, and in which order. */
export interface RecordQuery {
  /** All have to fit. */
  filters: readonly Filter[]
  /** Text that one of the fields has to contain, in any letter case. */
  search?: { text: string; fields: readonly string[] }
  /**
   * Records that are alike come in the order of `createdAt` and `_id`, in the direction of the first
   * term; with no term, oldest first. A record without the field is greater than any that has it:
   * the last, or of a descending order the first. Text goes by its code points, numbers by size.
   */
  sort: readonly SortTerm[]
  /** Aborted when nobody waits for the answer any more: then the search ends. */
  signal?: AbortSignal
}

export const everything: RecordQuery = { filters: [], sort: [] }

/** Throws when whoever asked does not wait any more. */
export function refuseAbandoned({ signal }: RecordQuery): void {
  if (signal?.aborted === true) throw new StoreFailure('unavailable', 'nobody waits for the answer')
}

/** A part of what a query finds. */
export interface Part {
  offset: number
  limit: number
}

/**
 * The records of every resource, keyed by resource and id. Answers with outcomes; throws a
 * `StoreFailure` when the store is full or cannot be used. A write has happened for good when
 * its promise resolves.
 */
export interface Records {
  /**
   * At once where the store can. The same object as before means that nothing has changed, so that
   * what was made of it can be used again.
   */
  find: (
    resource: string,
    id: string,
  ) => StoredRecord | undefined | Promise<StoredRecord | undefined>

  /**
   * False when the id is taken. The first version is 1 and `updatedAt` is `createdAt`. The store is
   * full when the resource has as many records as it may.
   */
  create: (
    resource: string,
    record: Pick<StoredRecord, 'id' | 'document' | 'createdAt'>,
  ) => Promise<boolean>

  /** Check and write in one step. False when there is no such record, or no longer this version. */
  change: (resource: string, change: Change) => Promise<boolean>

  /**
   * False when there was none, or, where the caller names the version that it has read, no longer
   * that one. Check and removal are one step.
   */
  remove: (resource: string, id: string, version?: number) => Promise<boolean>

  /**
   * Removes all records of a resource, some at a time, so that nobody waits long; those that others
   * create meanwhile may stay. Resolves with how many there were.
   */
  clear: (resource: string) => Promise<number>

  /** Oldest first, at most `limit`, from just after `after`. */
  listAfter: (
    resource: string,
    after: Position | undefined,
    limit: number,
  ) => Promise<readonly StoredRecord[]>

  /** The newest first, at most `limit`, of those whose document has this `name`. */
  listByName: (resource: string, name: string, limit: number) => Promise<readonly StoredRecord[]>

  /**
   * Another one after every write of anybody that a read from now on can see, so that what was made
   * of several records can be used again; undefined where the store cannot tell at once.
   */
  state: () => string | undefined

  /** Makes it fast to find and to order the records of a resource by these fields of theirs. */
  index: (resource: string, fields: readonly string[]) => Promise<void>

  /** Of the records of a query, in its order, `limit` after the first `offset`. */
  list: (resource: string, query: RecordQuery, part: Part) => Promise<readonly StoredRecord[]>

  count: (resource: string, query: RecordQuery) => Promise<number>

  /** All records of a query, in its order, a page of any length at a time. */
  pages: (resource: string, query: RecordQuery) => Pages
}

export type Pages = AsyncIterable<readonly StoredRecord[]>

/** Small enough to be forgotten quickly, large enough that a query a page does not show. */
const recordsPerQuery = 100

/** All records of a resource, oldest first, a page at a time. */
export async function* eachPage(records: Records, resource: string): Pages {
  let last: Position | undefined
  do {
    await setImmediate()
    const page = await records.listAfter(resource, last, recordsPerQuery)
    yield page
    last = page.at(-1)
  } while (last)
}
