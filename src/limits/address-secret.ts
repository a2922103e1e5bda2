import { randomBytes } from 'node:crypto'
import { collectionNames } from '../stores/collection-names.ts'
import type { Records } from '../stores/records/records.ts'
import { StoreFailure } from '../stores/store-failure.ts'

const id = 'secret'

/** The same for all processes of the database, and after a restart. One that cannot be stored is of this process. */
export async function loadAddressSecret(records: Records, isReadOnly: boolean): Promise<string> {
  const collection = records.collection(collectionNames.addressSecret)
  const known = await collection.find(id)
  if (known) return String(known.document.secret)
  const secret = randomBytes(32).toString('base64url')
  if (isReadOnly) return secret
  try {
    const record = { id, document: { secret }, createdAt: new Date().toISOString() }
    if (await collection.create(record)) return secret
  } catch (error) {
    if (error instanceof StoreFailure) return secret
    throw error
  }
  return loadAddressSecret(records, isReadOnly)
}
