import { StoreFailure } from '../store-failure.ts'

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
 * A field of the document by its name, or by the names of the path to it; `_id`, `createdAt` and
 * `updatedAt` are those of the record. A name is any text but the empty one.
 */
export type Field = string | readonly string[]

/** Null stands for no value: of a field that is missing, null, a list or an object. */
export type FieldValue = string | number | boolean | null

export interface Filter {
  field: Field
  operator: Operator
  /**
   * One of them has to match; with `ne` none may be equal. `lt`, `lte`, `gt` and `gte` match values
   * of the same type only. `contains`, `startsWith` and `endsWith` look at text, and at numbers,
   * `true` and `false` as they are written. A value with U+0000 or half of a surrogate pair, which
   * no record has, matches nothing.
   */
  values: readonly FieldValue[]
}

export interface SortTerm {
  field: Field
  isDescending: boolean
}

/** Which records of a resource, and in which order. */
export interface RecordQuery {
  /** All have to fit. */
  filters: readonly Filter[]
  /** Text that one of the fields has to contain, in any letter case. */
  search?: { text: string; fields: readonly Field[] }
  /**
   * Numbers by size, then text by code points, then false, true, and records without a value.
   * Records that are equal come in the order of `createdAt` and `_id`, in the direction of the first
   * term; with no term, oldest first.
   */
  sort: readonly SortTerm[]
  /** Aborted when nobody waits for the answer any more: then the search ends. */
  signal?: AbortSignal
}

export const allRecords: RecordQuery = { filters: [], sort: [] }

/** Throws when the query was aborted. */
export function assertWanted({ signal }: RecordQuery): void {
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

  /**
   * Another one after every write of anybody that a read from now on can see, so that what was made
   * of several records can be used again; undefined where the store cannot tell at once.
   */
  state: () => string | undefined

  /** Makes it fast to find and to order the records of a resource by these fields of theirs. */
  index: (resource: string, fields: readonly Field[]) => Promise<void>

  /** Of the records of a query, in its order, `limit` after the first `offset`. */
  list: (resource: string, query: RecordQuery, part: Part) => Promise<readonly StoredRecord[]>

  count: (resource: string, query: RecordQuery) => Promise<number>

  /** All records of a query, in its order, a page of any length at a time. */
  pages: (resource: string, query: RecordQuery) => Pages
}

export type Pages = AsyncIterable<readonly StoredRecord[]>

/** All records of a resource, oldest first, a page at a time. */
export function eachPage(records: Records, resource: string): Pages {
  return records.pages(resource, allRecords)
}
