import type { Config } from './config.ts'
import type { Records } from './storage/records/records.ts'
import { createSqliteRecords } from './storage/records/sqlite.ts'
import { openSqliteDatabase } from './storage/sqlite-database.ts'

/** Everything that outlives a request. */
export interface Backends {
  records: Records
  close: () => Promise<void>
}

/** Opens what the settings name; the caller closes it. Throws when it cannot be reached. */
export async function openBackends({ databaseUrl }: Config): Promise<Backends> {
  const database = openSqliteDatabase(databaseUrl)
  return {
    records: createSqliteRecords(database),
    close: async () => {
      database.close()
    },
  }
}
