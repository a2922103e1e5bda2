import { conflict, unprocessable, type FieldProblem } from '../../http/errors/http-error.ts'
import type { Document, StoredRecord } from '../../stores/records/records.ts'
import { loadRecord, type ResourceContext } from '../context.ts'
import type { Resource } from '../definition.ts'
import { findValue } from '../field-values.ts'
import { findProblems, type Input } from './input.ts'
import { hashPassword } from '../../auth/passwords.ts'

/** In each attempt that a request loses another one has won. */
const maxAttempts = 100

/** Undefined when the id is taken. */
export async function createRecord(
  { records }: ResourceContext,
  id: string,
  document: Document,
): Promise<StoredRecord | undefined> {
  const now = new Date().toISOString()
  const record = { id, document, version: 1, createdAt: now, updatedAt: now }
  return (await records.create(record)) ? record : undefined
}

/**
 * Changes `record` to the document that `toDocument` makes of its current state. Throws 404 when the
 * record is gone, 409 when other requests keep changing it.
 */
export async function changeRecord(
  context: ResourceContext,
  record: StoredRecord,
  toDocument: (current: StoredRecord) => Promise<Document>,
): Promise<StoredRecord> {
  let current: StoredRecord | undefined = record
  return retry(record.id, async () => {
    const met = current ?? (await loadRecord(context, record.id))
    current = undefined
    return tryChange(context, met, await toDocument(met))
  })
}

/** Creates the record with this id, or changes it as {@link changeRecord} does. */
export async function putRecord(
  context: ResourceContext,
  id: string,
  toDocument: (current: StoredRecord | undefined) => Promise<Document>,
): Promise<StoredRecord> {
  return retry(id, async () => {
    const current = await context.records.find(id)
    const document = await toDocument(current)
    return current ? tryChange(context, current, document) : createRecord(context, id, document)
  })
}

/** Throws 404 when there is no such record, 409 when other requests keep changing it. */
export async function removeRecord(
  context: ResourceContext,
  id: string,
  assertRemovable: (current: StoredRecord) => void,
): Promise<void> {
  await retry(id, async () => {
    const current = await loadRecord(context, id)
    assertRemovable(current)
    const isRemoved = await context.records.remove(id, current.version)
    return isRemoved ? current : undefined
  })
}

async function retry(
  id: string,
  attempt: () => Promise<StoredRecord | undefined>,
): Promise<StoredRecord> {
  for (let count = 1; count <= maxAttempts; count += 1) {
    const record = await attempt()
    if (record) return record
  }
  throw conflict(`Too many requests are changing ${id} at the same time.`)
}

/** Undefined when another request has changed or removed the record. */
async function tryChange(
  { records }: ResourceContext,
  current: StoredRecord,
  document: Document,
): Promise<StoredRecord | undefined> {
  const change = { ...current, document, updatedAt: new Date().toISOString() }
  const isChanged = await records.change(change)
  return isChanged ? { ...change, version: current.version + 1 } : undefined
}

/** The document with the changes of the input. Throws 422 with every problem of the result. */
export function mergeInput(
  resource: Resource,
  document: Document,
  { fields, problems }: Pick<Input, 'fields'> & { problems: readonly FieldProblem[] },
): Document {
  const merged = withoutUndefined({ ...document, ...fields })
  const known = problems.map(({ field }) => field)
  const found = findProblems(resource, merged).filter(({ field }) => !known.includes(field))
  if (problems.length + found.length > 0) throw unprocessable([...problems, ...found])
  return merged
}

/** What stays when a record is replaced: a representation does not have the passwords. */
export function findPasswords({ fields }: Resource, { document }: StoredRecord): Document {
  const passwords = fields.filter(({ kind }) => kind === 'password')
  return withoutUndefined(
    Object.fromEntries(passwords.map(({ name }) => [name, findValue(document, name)])),
  )
}

/** Hashes the passwords among the `given` fields; each one only once. */
export function createHasher({ fields }: Resource) {
  const hashes = new Map<string, Promise<string>>()
  const passwords = fields.filter(({ kind }) => kind === 'password')
  return async (document: Document, given: Document): Promise<Document> => {
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

function withoutUndefined(document: Document): Document {
  return Object.fromEntries(Object.entries(document).filter(([, value]) => value !== undefined))
}
