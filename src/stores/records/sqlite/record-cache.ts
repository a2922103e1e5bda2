import { columns, toStoredRecord, type Value } from '../dialect.ts'
import type { StoredRecord } from '../records.ts'
import type { Prepare } from './statements.ts'

const maxRecords = 1000
/** A longer document, in characters, is not cached: all cached documents have at most two million. */
const maxLength = 2048

export type RecordCache = ReturnType<typeof createRecordCache>

/** A cached read takes a third of the time. The cache is cleared after writes of other processes. */
export function createRecordCache(prepare: Prepare) {
  const select = prepare(`SELECT ${columns} FROM records WHERE resource = ? AND id = ?`)
  // The number does not change by own writes: https://sqlite.org/pragma.html#pragma_data_version
  const dataVersion = prepare('PRAGMA data_version')
  const records = new Map<string, StoredRecord>()
  /** The writes of this process to each collection. */
  const writes = new Map<string, number>()
  let allWrites = 0
  let lastVersion: unknown
  /** The writes of other processes, of which several can count as one. */
  let foreignWrites = 0

  function clearIfOutdated(): void {
    const version = dataVersion.get()?.[0]
    if (version !== lastVersion) {
      foreignWrites += 1
      records.clear()
    }
    lastVersion = version
  }

  return {
    isStored: (resource: string, id: Value = null) => select.get(resource, id) !== undefined,
    find: (resource: string, id: string) => {
      clearIfOutdated()
      const key = `${resource}/${id}`
      const known = records.get(key)
      if (known) return known
      const row = select.get(resource, id)
      if (row === undefined) return undefined
      const record = toStoredRecord(row)
      if (String(row[1]).length > maxLength) return record
      if (records.size === maxRecords) records.clear()
      records.set(key, record)
      return record
    },
    state: (resource?: string) => {
      clearIfOutdated()
      return foreignWrites + (resource === undefined ? allWrites : (writes.get(resource) ?? 0))
    },
    forget: (resource: string, id?: Value) => {
      allWrites += 1
      writes.set(resource, (writes.get(resource) ?? 0) + 1)
      if (id === undefined) records.clear()
      else records.delete(`${resource}/${String(id)}`)
    },
  }
}
