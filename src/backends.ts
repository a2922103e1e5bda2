import type { Config } from './config.ts'
import type { Answers } from './storage/answers/answers.ts'
import { createDatabaseAnswers } from './storage/answers/database.ts'
import { openDiskFiles } from './storage/files/disk.ts'
import type { Files } from './storage/files/files.ts'
import type { Records } from './storage/records/records.ts'
import { createSqliteRecords } from './storage/records/sqlite.ts'
import { createDatabaseSessions } from './storage/sessions/database.ts'
import type { Sessions } from './storage/sessions/sessions.ts'
import { openSqliteDatabase } from './storage/sqlite-database.ts'

/** Everything that outlives a request. */
export interface Backends {
  records: Records
  files: Files
  sessions: Sessions
  answers: Answers
  close: () => Promise<void>
}

/** Opens what the settings name; the caller closes it. Throws when it cannot be reached. */
export async function openBackends({
  databaseUrl,
  durability,
  filesUrl,
}: Config): Promise<Backends> {
  const files = await openDiskFiles(filesUrl)
  const database = openSqliteDatabase(databaseUrl, durability)
  const records = createSqliteRecords(database)
  return {
    records,
    files,
    sessions: createDatabaseSessions(records),
    answers: createDatabaseAnswers(records),
    close: async () => {
      await records.settle()
      database.close()
    },
  }
}
