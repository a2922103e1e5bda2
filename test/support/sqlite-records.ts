import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { temporaryFolder } from './start-vitrine.ts'
import { openSqliteDatabase } from '../../src/stores/sqlite/database.ts'
import { createSqliteRecords } from '../../src/stores/records/sqlite/records.ts'

export const noon = '2026-01-01T12:00:00.000Z'

export function openRecords(t: TestContext, url: string) {
  const database = openSqliteDatabase(url)
  t.after(() => {
    if (database.isOpen) database.close()
  })
  const records = createSqliteRecords(database)
  return { records, users: records.collection('users'), database }
}

export async function temporaryFile(t: TestContext): Promise<string> {
  return join(await temporaryFolder(t), 'records.db')
}
