import type { Config } from '../config/config.ts'
import { openRecords } from '../stores/open-stores.ts'
import type { PlacedRecords } from '../stores/sandboxes/lifecycle.ts'
import { assertNotInMemory } from './format.ts'

/** A full database can still block the client that filled it, and delete its sandboxes. */
export async function withRecords<Result>(
  config: Config,
  run: (records: PlacedRecords) => Promise<Result>,
): Promise<Result> {
  assertNotInMemory(config.databaseUrl)
  const limits = { maxRecords: undefined, maxDatabaseBytes: undefined }
  const { records, close } = await openRecords({ ...config, ...limits })
  try {
    return await run(records)
  } finally {
    await close()
  }
}
