import { conflict } from '../../http/errors/http-error.ts'
import type { Document, StoredRecord } from '../../stores/records/records.ts'
import type { ResourceContext } from '../context.ts'

/** An attempt fails only when another request succeeds. */
const maxAttempts = 100

/**
 * Stores the document that `toDocument` makes of the current state, unless it returns the current document
 * itself; undefined removes the record.
 */
export async function writeRecord(
  { collection }: Pick<ResourceContext, 'collection'>,
  id: string,
  toDocument: (current: StoredRecord | undefined) => Promise<Document> | Document | undefined,
): Promise<StoredRecord> {
  for (let count = 1; count <= maxAttempts; count += 1) {
    const current = await collection.find(id)
    const document = await toDocument(current)
    if (current && document === current.document) return current
    const now = new Date().toISOString()
    const { version = 0, createdAt = now } = current ?? {}
    const next = { id, version, document: document ?? {}, createdAt, updatedAt: now }
    const write = () => {
      if (document === undefined) return collection.remove(id, version)
      return current ? collection.change(next) : collection.create(next)
    }
    if (await write()) return { ...next, version: version + 1 }
  }
  throw conflict(`Too many requests are changing ${id} at the same time.`)
}
