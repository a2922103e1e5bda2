import { v7 as createId } from 'uuid'
import { createHasher } from '../../resources/write/changes.ts'
import type { Resource } from '../../resources/definition.ts'
import { findProblems } from '../../resources/write/input.ts'
import { locations } from '../../demos/locations/locations.ts'
import { users } from '../../demos/users/users.ts'
import type { Document, Records } from '../../stores/records/records.ts'
import { toLocation, toUser } from './documents.ts'

interface Seeding {
  resource: Resource
  toDocument: (number: number) => Document
  /** Hashes each password once, however many have it. */
  hash: ReturnType<typeof createHasher>
}

export const seedings: readonly Seeding[] = [
  { resource: locations, toDocument: toLocation, hash: createHasher(locations) },
  { resource: users, toDocument: toUser, hash: createHasher(users) },
]

/** One transaction in SQLite; in PostgreSQL few enough to wait for ten connections. */
const recordsPerBatch = 100

/** Adds `count` records of each kind; tells after every batch how many of all of them are there. */
export async function seedRecords(
  records: Records,
  count: number,
  tell: (done: number) => void = () => undefined,
): Promise<void> {
  for (const [index, seeding] of seedings.entries()) {
    for (let first = 0; first < count; first += recordsPerBatch) {
      const last = Math.min(first + recordsPerBatch, count)
      await seedBatch(records, seeding, { first, last })
      tell(index * count + last)
    }
  }
}

async function seedBatch(
  records: Records,
  { resource, toDocument, hash }: Seeding,
  { first, last }: { first: number; last: number },
): Promise<void> {
  const documents: Document[] = []
  for (let number = first; number < last; number += 1) {
    const document = toDocument(number)
    const [problem] = findProblems(resource, document)
    if (problem) throw new Error(`${resource.singular} ${String(number)}: ${problem.message}`)
    documents.push(await hash(document, document))
  }
  const collection = records.collection(resource.name)
  const createdAt = new Date().toISOString()
  await Promise.all(
    documents.map((document) => collection.create({ id: createId(), document, createdAt })),
  )
}
