import { subscribe, unsubscribe } from 'node:diagnostics_channel'

const channel = 'sqlite.db.query'

/** The statements of SQLite that this process runs meanwhile, as Node publishes them. */
export async function findStatements(
  work: () => Promise<unknown>,
  note: (sql: string) => unknown = () => undefined,
): Promise<readonly string[]> {
  const statements: string[] = []
  const receive = (message: unknown) => {
    const { sql } = message as { sql: string }
    // A timer reads the blocked networks.
    if (sql.includes('~block-list')) return
    statements.push(sql)
    note(sql)
  }
  subscribe(channel, receive)
  try {
    await work()
  } finally {
    unsubscribe(channel, receive)
  }
  return statements
}
