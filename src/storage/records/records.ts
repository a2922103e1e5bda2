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

/**
 * The records of every resource, keyed by resource and id. Answers with outcomes; throws a
 * `StoreFailure` when the store is full or cannot be used. A write has happened for good when
 * its promise resolves.
 */
export interface Records {
  find: (resource: string, id: string) => Promise<StoredRecord | undefined>

  /** False when the id is taken. The first version is 1 and `updatedAt` is `createdAt`. */
  create: (
    resource: string,
    record: Pick<StoredRecord, 'id' | 'document' | 'createdAt'>,
  ) => Promise<boolean>

  /** Check and write in one step. False when there is no such record, or no longer this version. */
  change: (resource: string, change: Change) => Promise<boolean>

  /** False when there was none. */
  remove: (resource: string, id: string) => Promise<boolean>

  /** Oldest first, at most `limit`, from just after `after`. */
  listAfter: (
    resource: string,
    after: Position | undefined,
    limit: number,
  ) => Promise<readonly StoredRecord[]>

  /** The newest first, at most `limit`, of those whose document has this `name`. */
  listByName: (resource: string, name: string, limit: number) => Promise<readonly StoredRecord[]>

  /** Oldest first, `limit` of them after the first `offset`. */
  listPage: (resource: string, offset: number, limit: number) => Promise<readonly StoredRecord[]>
}

export type Pages = AsyncIterable<readonly StoredRecord[]>

/** Small enough to be forgotten quickly, large enough that a query a page does not show. */
const recordsPerQuery = 100

/** All records of a resource, oldest first, a page at a time. */
export async function* eachPage(records: Records, resource: string): Pages {
  let last: Position | undefined
  do {
    const page = await records.listAfter(resource, last, recordsPerQuery)
    yield page
    last = page.at(-1)
  } while (last)
}
