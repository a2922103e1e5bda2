import type { Row } from '../postgres-database.ts'
import { parseDocument } from './document.ts'
import { fromText } from './postgres-keys.ts'
import type { StoredRecord } from './records.ts'

export const columns = 'id, document, version, created_at, updated_at'

export function toStoredRecord(row: Row): StoredRecord {
  return {
    id: fromText(row.id as string),
    document: parseDocument(row.document as string),
    version: Number(row.version),
    createdAt: row.created_at as string,
    updatedAt: row.updated_at as string,
  }
}
