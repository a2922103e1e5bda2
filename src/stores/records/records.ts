import { StoreFailure } from '../store-failure.ts'

/** The fields of a record by name, as JSON. */
export type Document = Readonly<Record<string, unknown>>

export interface StoredRecord {
  id: string
  document: Document
  /** 1 when created; incremented by every change. */
  version: number
  /** ISO 8601 in UTC, with milliseconds. */
  createdAt: string
  updatedAt: string
}

export interface Change {
  id: string
  /** The version that the caller has read; the change applies to no other. */
  version: number
  document: Document
  updatedAt: string
}

const textOperators = ['contains', 'startsWith', 'endsWith'] as const
export type TextOperator = (typeof textOperators)[number]

export function isOfText(operator: Operator): operator is TextOperator {
  return textOperators.some((known) => known === operator)
}

export type Operator = 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte' | TextOperator

/**
 * The name of a field or the path to it. `_id`, `createdAt` and `updatedAt` are those of the
 * record. A name is any non-empty text.
 */
export type Field = string | readonly string[]

/** Null stands for a field that is missing, null, a list or an object. */
export type FieldValue = string | number | boolean | null

export interface Filter {
  field: Field
  operator: Operator
  /**
   * One of them must match; with `ne` none may be equal. `lt`, `lte`, `gt` and `gte` match values
   * of the same type. The text operators ignore case and match numbers and booleans as they are
   * written.
   */
  values: readonly FieldValue[]
}

export interface SortTerm {
  field: Field
  isDescending: boolean
}

export interface RecordQuery {
  /** All must match. */
  filters: readonly Filter[]
  /** Text that one of the fields contains, in any case. */
  search?: { text: string; fields: readonly Field[] }
  /**
   * Numbers, then text by code points, then false, true, and records without a value. Equal records
   * are in the order of `createdAt` and `_id`, in the direction of the first term; without a term,
   * oldest first.
   */
  sort: readonly SortTerm[]
  /** Aborted when the response is no longer needed. */
  signal?: AbortSignal
}

export const allRecords: RecordQuery = { filters: [], sort: [] }

export function assertNotAborted({ signal }: RecordQuery): void {
  if (signal?.aborted === true)
    throw new StoreFailure('unavailable', 'the response is no longer needed')
}

export interface Part {
  offset: number
  limit: number
}

export interface Records {
  collection: (name: string) => Collection
}

/**
 * Records by id. Methods throw a {@link StoreFailure} when the store is full or unavailable. A
 * write is permanent when its promise resolves.
 */
export interface Collection {
  /** Synchronous where the store can. The same object as before: the record has not changed. */
  find: (id: string) => StoredRecord | undefined | Promise<StoredRecord | undefined>

  /** False when the id is taken. Throws `full` at the maximum number of records. */
  create: (record: Pick<StoredRecord, 'id' | 'document' | 'createdAt'>) => Promise<boolean>

  /** Atomic. False when there is no such record, or it has another version. */
  change: (change: Change) => Promise<boolean>

  /** Atomic. False when there is no such record, or it has another version than the given one. */
  remove: (id: string, version?: number) => Promise<boolean>

  /**
   * Removes all records in small steps. Resolves with their number; records that are created
   * meanwhile may remain.
   */
  clear: () => Promise<number>

  /**
   * Differs after every write, by any process, that a later read can see; results can be reused
   * while it is the same. Undefined where the store does not know it synchronously.
   */
  state: () => string | undefined

  /** Makes finding and sorting by these fields fast. */
  index: (fields: readonly Field[]) => Promise<void>

  list: (query: RecordQuery, part: Part) => Promise<readonly StoredRecord[]>

  count: (query?: RecordQuery) => Promise<number>

  pages: (query?: RecordQuery) => Pages
}

export type Pages = AsyncIterable<readonly StoredRecord[]>

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
