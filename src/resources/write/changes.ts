import { conflict, unprocessable, type FieldProblem } from '../../http/errors/http-error.ts'
import type { Document, StoredRecord } from '../../stores/records/records.ts'
import { loadRecord, type ResourceContext } from '../context.ts'
import type { Resource } from '../definition.ts'
import { findProblems, type Input } from './input.ts'
import { hashPassword } from '../../auth/passwords.ts'

/** Every round that a request loses, another one has won. */
const maxRounds = 100

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
 * Changes `record` to what `toDocument` makes of it; when another request was quicker, of the state
 * that this one left. Throws 404 when the record is gone, 409 when others are quicker all the time.
 */
export async function changeRecord(
  context: ResourceContext,
  record: StoredRecord,
  toDocument: (current: StoredRecord) => Promise<Document>,
): Promise<StoredRecord> {
  let current = record
  for (let round = 1; round <= maxRounds; round += 1) {
    const changed = await tryChange(context, current, await toDocument(current))
    if (changed) return changed
    current = await loadRecord(context, record.id)
  }
  throw tooBusy(record.id)
}

/** Creates the record of this id, or changes the one that is there, in the manner of {@link changeRecord}. */
export async function putRecord(
  context: ResourceContext,
  id: string,
  toDocument: (current: StoredRecord | undefined) => Promise<Document>,
): Promise<StoredRecord> {
  const { records } = context
  for (let round = 1; round <= maxRounds; round += 1) {
    const current = await records.find(id)
    const document = await toDocument(current)
    const record = current
      ? await tryChange(context, current, document)
      : await createRecord(context, id, document)
    if (record) return record
  }
  throw tooBusy(id)
}

/** Undefined when the record was changed or removed meanwhile. */
async function tryChange(
  { records }: ResourceContext,
  current: StoredRecord,
  document: Document,
): Promise<StoredRecord | undefined> {
  const change = { ...current, document, updatedAt: new Date().toISOString() }
  const isChanged = await records.change(change)
  return isChanged ? { ...change, version: current.version + 1 } : undefined
}

/**
 * Removes the record of this id, in a state to which `refuse` says nothing. Throws 404 when there is
 * none, 409 when others are quicker all the time.
 */
export async function removeRecord(
  context: ResourceContext,
  id: string,
  refuse: (current: StoredRecord) => void,
): Promise<void> {
  const { records } = context
  for (let round = 1; round <= maxRounds; round += 1) {
    const current = await loadRecord(context, id)
    refuse(current)
    if (await records.remove(id, current.version)) return
  }
  throw tooBusy(id)
}

function tooBusy(id: string) {
  return conflict(`Too many others are changing ${id}.`)
}

/**
 * The document with what the request says of it, without what it says shall not be. Throws 422
 * naming all that is wrong with the result.
 */
export function mergeInput(
  resource: Resource,
  document: Document,
  { fields, problems }: Pick<Input, 'fields'> & { problems: readonly FieldProblem[] },
): Document {
  const merged = withoutAbsent({ ...document, ...fields })
  const all = [...problems, ...findProblems(resource, merged)]
  if (all.length > 0) throw unprocessable(all)
  return merged
}

/** No representation shows a password, so replacing a record by one keeps what it cannot say. */
export function passwordsOf({ fields }: Resource, record: StoredRecord | undefined): Document {
  const passwords = fields.filter(({ kind }) => kind === 'password')
  return withoutAbsent(
    Object.fromEntries(passwords.map(({ name }) => [name, record?.document[name]])),
  )
}

/** Hashes the passwords that a request gives; asked again with the same ones, it has them at hand. */
export function createHasher({ fields }: Resource) {
  const hashes = new Map<string, Promise<string>>()
  const passwords = fields.filter(({ kind }) => kind === 'password')
  return async (document: Document, given: Document): Promise<Document> => {
    const hashed: Record<string, unknown> = { ...document }
    for (const { name } of passwords) {
      const password = given[name]
      if (typeof password !== 'string') continue
      const hash = hashes.get(password) ?? hashPassword(password)
      hashes.set(password, hash)
      hashed[name] = await hash
    }
    return hashed
  }
}

function withoutAbsent(document: Document): Document {
  return Object.fromEntries(Object.entries(document).filter(([, value]) => value !== undefined))
}
