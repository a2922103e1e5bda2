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

/** All records, in collections by name. */
export interface Records {
  /** The same collection for the same name. A collection without records is empty. */
  collection: (name: string) => Collection
}

/**
 * Records by id. Methods throw a `StoreFailure` when the store is full or unavailable. A write is
 * permanent when its promise resolves.
 */
export interface Collection {
  /** Synchronous where the store can. The same object as before: the record has not changed. */
  find: (id: string) => StoredRecord | undefined | Promise<StoredRecord | undefined>

  /**
   * False when the id is taken. The first version is 1 and `updatedAt` is `createdAt`. Throws `full`
   * when the collection has reached its maximum number of records.
   */
  create: (record: Pick<StoredRecord, 'id' | 'document' | 'createdAt'>) => Promise<boolean>

  /** Atomic. False when there is no such record, or it has another version. */
  change: (change: Change) => Promise<boolean>

  /** Atomic. False when there is no such record, or it has another version than the given one. */
  remove: (id: string, version?: number) => Promise<boolean>

  /**
   * Removes all records, in small steps; records that are created meanwhile may remain. Resolves
   * with the number of removed records.
   */
  clear: () => Promise<number>

  /**
   * Differs after every write, by any process, that a later read can see. A result that was computed
   * from several records can be reused while it is the same. Undefined where it is not known
   * synchronously.
   */
  state: () => string | undefined

  /** Makes finding and sorting by these fields fast. */
  index: (fields: readonly Field[]) => Promise<void>

  list: (query: RecordQuery, part: Part) => Promise<readonly StoredRecord[]>

  count: (query?: RecordQuery) => Promise<number>

  /** All records of a query in its order, in pages of any length. */
  pages: (query?: RecordQuery) => Pages
}

export type Pages = AsyncIterable<readonly StoredRecord[]>

/** Opens each collection once. */
export function createRecords(open: (name: string) => Collection): Records {
  const collections = new Map<string, Collection>()
  return {
    collection: (name) => {
      const collection = collections.get(name) ?? open(name)
      collections.set(name, collection)
      return collection
    },
  }
}
