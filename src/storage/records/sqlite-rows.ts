import type { SQLOutputValue } from 'node:sqlite'
import { parseDocument } from './document.ts'
import type { StoredRecord } from './records.ts'

export const columns = 'id, document, version, created_at, updated_at'

export function toStoredRecord(row: Record<string, SQLOutputValue>): StoredRecord {
  return {
    id: row.id as string,
    document: parseDocument(row.document as string),
    version: row.version as number,
    createdAt: row.created_at as string,
    updatedAt: row.updated_at as string,
  }
}

/** The same of a row that is a list of `columns`. */
export function fromList(row: readonly SQLOutputValue[]): StoredRecord {
  const [id, document, version, createdAt, updatedAt] = row
  return {
    id: id as string,
    document: parseDocument(document as string),
    version: version as number,
    createdAt: createdAt as string,
    updatedAt: updatedAt as string,
  }
}
