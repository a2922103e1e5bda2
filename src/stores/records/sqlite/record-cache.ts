import type { DatabaseSync } from 'node:sqlite'
import type { StoredRecord } from '../records.ts'

const maxRecords = 1000
/** Of all documents, in characters; one document may have a hundredth of it. */
const maxLength = 2 ** 21

interface RecordCache {
  state: () => string | undefined
  find: (resource: string, id: string) => StoredRecord | undefined
  forget: (resource: string, id: string) => void
  forgetAll: () => void
}

/**
 * Caches the records that were read last, for a third of the time of a read. SQLite tells each time
 * whether another connection has written; then the cache is cleared.
 */
export function createRecordCache(
  database: DatabaseSync,
  read: (resource: string, id: string) => { record: StoredRecord; length: number } | undefined,
): RecordCache {
  // https://sqlite.org/pragma.html#pragma_data_version
  const dataVersion = database.prepare('PRAGMA data_version')
  dataVersion.setReturnArrays(true)
  const records = new Map<string, StoredRecord>()
  let length = 0
  let lastVersion: unknown
  /** The version does not change for writes of the same connection. */
  let ownWrites = 0

  const readVersion = () => (dataVersion.get() as unknown as [number])[0]
  const forgetAll = () => {
    records.clear()
    length = 0
  }

  return {
    state: () => {
      try {
        return `${String(readVersion())} ${String(ownWrites)}`
      } catch {
        // The next read throws it.
        return undefined
      }
    },
    find: (resource, id) => {
      const version = readVersion()
      if (version !== lastVersion) forgetAll()
      lastVersion = version
      const key = `${resource}/${id}`
      const known = records.get(key)
      if (known) return known
      const found = read(resource, id)
      if (found === undefined || found.length > maxLength / 100) return found?.record
      length += found.length
      if (records.size === maxRecords || length > maxLength) forgetAll()
      records.set(key, found.record)
      return found.record
    },
    forget: (resource, id) => {
      ownWrites += 1
      records.delete(`${resource}/${id}`)
    },
    forgetAll: () => {
      ownWrites += 1
      forgetAll()
    },
  }
}
