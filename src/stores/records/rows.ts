import { StoreFailure } from '../store-failure.ts'
import type { Row } from './dialect.ts'
import type { Document, StoredRecord } from './records.ts'

export const columns = 'id, document, version, created_at, updated_at'

export function toStoredRecord([id, document, version, createdAt, updatedAt]: Row): StoredRecord {
  return {
    id: String(id),
    document: parseDocument(String(document)),
    version: Number(version),
    createdAt: String(createdAt),
    updatedAt: String(updatedAt),
  }
}

/** Only JSON is ever written: anything else is damage. */
function parseDocument(text: string): Document {
  try {
    return JSON.parse(text) as Document
  } catch (error) {
    throw new StoreFailure('unavailable', error)
  }
}
