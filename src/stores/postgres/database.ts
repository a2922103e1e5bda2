import pg from 'pg'
import { setTimeout } from 'node:timers/promises'
import { StoreFailure } from '../store-failure.ts'
import { assertSession, openHosts, assertWritable, toClientOptions, toHostUrls } from './hosts.ts'
import { alter, migrate } from './migrations.ts'

/** All that a statement may take: with what comes before it a request is answered in two seconds. */
const maxMs = 1500
/** A little less, so that a server that is not frozen gives up by itself. */
const statementMs = 1400
const maxAttempts = 10
const maxCloseMs = 1000

export interface Statement {
  /** Prepared under it once for each connection; without one it is planned anew each time. */
  name?: string
  text: string
  values?: unknown[]
}

export type Row = Readonly<Record<string, unknown>>

/** A database that is reached through a pool of connections. */
export interface PostgresDatabase {
  /**
   * Runs one statement, which is a transaction of its own: it has happened for good when the promise
   * resolves. Throws a {@link StoreFailure} for what is not the statement's fault.
   */
  run: (statement: Statement) => Promise<{ rows: Row[]; rowCount: number }>
  /** Changes the schema, for as long as it takes, one process at a time. */
  alter: (statements: readonly string[]) => Promise<void>
  close: () => Promise<void>
}

/**
 * Opens the database of `postgres://…` and brings its schema up to date. The caller closes it. Throws
 * an Error without the URL, which may hold a password, when it cannot be reached or was made by a
 * newer Vitrine.
 */
export async function openPostgresDatabase(url: string): Promise<PostgresDatabase> {
  try {
    await withClient(url, async (client, hostUrl) => {
      await assertSession(client, hostUrl)
      await migrate(client)
    })
  } catch (error) {
    const reason = findReason(error).message
    throw new Error(`DATABASE_URL cannot be opened: ${reason}`, { cause: error })
  }
  const hosts = openHosts(url, statementMs)
  let closed: Promise<void> | undefined

  async function runOnce(statement: Statement, giveUpAt: number) {
    const client = await hosts.connect()
    const begin = performance.now()
    let failure: unknown
    try {
      // The client gives up too: a server that is frozen cannot.
      const query = { ...statement, query_timeout: Math.max(giveUpAt - performance.now(), 100) }
      const { rows, rowCount } = await client.query<Row>(query)
      return { rows, rowCount: rowCount ?? 0 }
    } catch (error) {
      failure = error
      throw error
    } finally {
      // By then a server that is merely slow would have said so.
      const isFrozen = isDisconnection(failure) && performance.now() - begin > statementMs
      if (isFrozen) hosts.giveUp(client)
      // Of any other failure nobody knows in what state it leaves the connection.
      client.release(failure !== undefined && !isConflict(failure))
    }
  }

  return {
    run: async (statement) => {
      const giveUpAt = performance.now() + maxMs
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await runOnce(statement, giveUpAt)
        } catch (error) {
          const isLast = attempt === maxAttempts || performance.now() > giveUpAt
          if (isLast || !isConflict(error)) throw toStoreFailure(error)
          await setTimeout(Math.random() * 5 * attempt)
        }
      }
    },
    alter: (statements) =>
      withClient(url, (client) =>
        alter(client, async () => {
          for (const statement of statements) await client.query(statement)
        }),
      ),
    // A server that is frozen does not say goodbye.
    close: () =>
      (closed ??= Promise.race([hosts.close(), setTimeout(maxCloseMs, undefined, { ref: false })])),
  }
}

/** A connection outside the pool, on which a statement may take long. */
async function withClient(
  url: string,
  use: (client: pg.Client, hostUrl: string) => Promise<void>,
): Promise<void> {
  let failure: unknown
  for (const hostUrl of toHostUrls(url)) {
    const client = new pg.Client({ ...toClientOptions(hostUrl), connectionTimeoutMillis: 5000 })
    client.on('error', (error) => (failure = error))
    try {
      await client.connect()
      await assertWritable(client)
    } catch (error) {
      failure = error
      await client.end()
      continue
    }
    try {
      await use(client, hostUrl)
      return
    } finally {
      await client.end()
    }
  }
  throw failure
}

/** Of hosts that were asked at once, what the last one said. */
function findReason(error: unknown): Error {
  if (error instanceof AggregateError) return findReason(error.errors.at(-1))
  return error instanceof Error ? error : new Error(String(error))
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const serializationFailure = '40001'
const deadlock = '40P01'
const diskFull = '53100'
// Connections, resources, the operator (statement timeouts and shutdowns too), the system, damage;
// a server that has become read-only, or is not in the state that a statement needs; a lock; an
// account, a database, a privilege or a table that is gone.
const unavailable = /^(08|53|57|58|28|3D|XX00[12]|25006|55000|55P03|42501|42P01)/

/** Whether the server has undone a statement that may well succeed if it is repeated. */
function isConflict(error: unknown): boolean {
  return [serializationFailure, deadlock].includes(toState(error))
}

function toStoreFailure(error: unknown): unknown {
  const reason = findReason(error)
  const state = toState(reason)
  if (state === diskFull) return new StoreFailure('full', reason)
  const isDown = isDisconnection(reason) || isConflict(reason) || unavailable.test(state)
  return isDown ? new StoreFailure('unavailable', reason) : reason
}

/** What the driver or the system says, without a state of SQL: nobody is there, or does not answer. */
function isDisconnection(error: unknown): boolean {
  return error instanceof Error && !(error instanceof TypeError) && toState(error) === ''
}

function toState(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? '') : ''
}
