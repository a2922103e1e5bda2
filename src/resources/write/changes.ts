import { hashPassword } from '../../auth/passwords.ts'
import { conflict } from '../../http/errors/http-error.ts'
import type { Document, StoredRecord } from '../../stores/records/records.ts'
import { assertFound, type ResourceContext } from '../context.ts'
import type { Resource } from '../definition.ts'
import { findValue } from '../field-values.ts'

/** In each attempt that a request loses another one has won. */
const maxAttempts = 100

/** The record with this id may be there: an earlier request with the Idempotency-Key created it. */
export async function createRecord(
  { resource, records }: ResourceContext,
  id: string,
  document: Document,
): Promise<StoredRecord> {
  const record = toNewRecord(id, document)
  if (await records.create(record)) return record
  return assertFound(resource, id, await records.find(id))
}

/** Creates or changes the record: `toDocument` makes the new document of the current state. */
export async function writeRecord(
  { records }: ResourceContext,
  id: string,
  toDocument: (current: StoredRecord | undefined) => Promise<Document>,
): Promise<StoredRecord> {
  return retry(id, async () => {
    const current = await records.find(id)
    const document = await toDocument(current)
    if (current === undefined) {
      const record = toNewRecord(id, document)
      return (await records.create(record)) ? record : undefined
    }
    const change = { ...current, document, updatedAt: new Date().toISOString() }
    const isChanged = await records.change(change)
    return isChanged ? { ...change, version: current.version + 1 } : undefined
  })
}

export async function removeRecord(
  { resource, records }: ResourceContext,
  id: string,
  assertRemovable: (current: StoredRecord) => void,
): Promise<void> {
  await retry(id, async () => {
    const current = assertFound(resource, id, await records.find(id))
    assertRemovable(current)
    return (await records.remove(id, current.version)) || undefined
  })
}

async function retry<Result>(
  id: string,
  attempt: () => Promise<Result | undefined>,
): Promise<Result> {
  for (let count = 1; count <= maxAttempts; count += 1) {
    const result = await attempt()
    if (result !== undefined) return result
  }
  throw conflict(`Too many requests are changing ${id} at the same time.`)
}

function toNewRecord(id: string, document: Document): StoredRecord {
  const now = new Date().toISOString()
  return { id, document, version: 1, createdAt: now, updatedAt: now }
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
