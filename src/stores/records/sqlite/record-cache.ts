import { columns, toStoredRecord, type Value } from '../dialect.ts'
import type { StoredRecord } from '../records.ts'
import type { Prepare } from './statements.ts'

const maxRecords = 1000
/** Of all documents, in characters; one document may have a hundredth of it. */
const maxLength = 2 ** 21

export type RecordCache = ReturnType<typeof createRecordCache>

/** A cached read takes a third of the time. The cache is cleared after writes of other processes. */
export function createRecordCache(prepare: Prepare) {
  const select = prepare(`SELECT ${columns} FROM records WHERE resource = ? AND id = ?`)
  // Without own writes: https://sqlite.org/pragma.html#pragma_data_version
  const dataVersion = prepare('PRAGMA data_version')
  const records = new Map<string, StoredRecord>()
  let length = 0
  let lastVersion: unknown

  function clear(): void {
    records.clear()
    length = 0
  }

  return {
    isStored: (resource: string, id: Value = null) => select.get(resource, id) !== undefined,
    find: (resource: string, id: string) => {
      const version = dataVersion.get()?.[0]
      if (version !== lastVersion) clear()
      lastVersion = version
      const key = `${resource}/${id}`
      const known = records.get(key)
      if (known) return known
      const row = select.get(resource, id)
      if (row === undefined) return undefined
      const record = toStoredRecord(row)
      const size = String(row[1]).length
      if (size > maxLength / 100) return record
      length += size
      if (records.size === maxRecords || length > maxLength) clear()
      records.set(key, record)
      return record
    },
    forget: (resource: string, id?: Value) => {
      if (id === undefined) clear()
      else records.delete(`${resource}/${String(id)}`)
    },
  }
}
