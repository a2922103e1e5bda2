import { hashPassword } from '../../auth/passwords.ts'
import { conflict } from '../../http/errors/http-error.ts'
import type { Document, StoredRecord } from '../../stores/records/records.ts'
import { assertFound, type ResourceContext } from '../context.ts'
import type { Resource } from '../definition.ts'
import { findValue } from '../field-values.ts'

/** An attempt fails only when another request succeeds. */
const maxAttempts = 100

/** An earlier request with the same Idempotency-Key may have created the record. */
export async function createRecord(
  { resource, records }: ResourceContext,
  id: string,
  document: Document,
): Promise<StoredRecord> {
  const now = new Date().toISOString()
  const record = { id, document, version: 1, createdAt: now, updatedAt: now }
  if (await records.create(record)) return record
  return assertFound(resource, id, await records.find(id))
}

/** Stores the document that `toDocument` makes of the current state; undefined removes the record. */
export async function writeRecord(
  { records }: ResourceContext,
  id: string,
  toDocument: (current: StoredRecord | undefined) => Promise<Document> | undefined,
): Promise<StoredRecord> {
  for (let count = 1; count <= maxAttempts; count += 1) {
    const current = await records.find(id)
    const document = await toDocument(current)
    const now = new Date().toISOString()
    const { version = 0, createdAt = now } = current ?? {}
    const next = { id, version, document: document ?? {}, createdAt, updatedAt: now }
    const write = () => {
      if (document === undefined) return records.remove(id, version)
      return current ? records.change(next) : records.create(next)
    }
    if (await write()) return { ...next, version: version + 1 }
  }
  throw conflict(`Too many requests are changing ${id} at the same time.`)
}

/** Hashes the passwords among the `given` fields; each one only once. */
export function createHasher({ passwords }: Resource) {
  const hashes = new Map<string, Promise<string>>()
  return async (document: Document, given = document): Promise<Document> => {
    const hashed: [string, string][] = []
    for (const { name } of passwords) {
      const password = findValue(given, name)
      if (typeof password !== 'string') continue
      const hash = hashes.get(password) ?? hashPassword(password)
      hashes.set(password, hash)
      hashed.push([name, await hash])
    }
    return { ...document, ...Object.fromEntries(hashed) }
  }
}
