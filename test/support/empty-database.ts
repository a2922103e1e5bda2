import { createSchema } from './postgres-server.ts'

/**
 * An empty database, as DATABASE_URL: on the server of TEST_DATABASE_URL, where that is set, which is
 * to be thrown away; else this one of SQLite.
 */
export async function emptyDatabase(sqliteUrl: string): Promise<string> {
  const { TEST_DATABASE_URL: serverUrl } = process.env
  return serverUrl ? createSchema(serverUrl) : sqliteUrl
}
