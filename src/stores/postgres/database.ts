import type { SQLOutputValue } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { toConnectionReason } from '../connection-reason.ts'
import { StoreFailure } from '../store-failure.ts'
import { assertSession, assertWritable, createClient, openHosts, toHostUrls } from './hosts.ts'
import type { Hosts } from './hosts.ts'
import { alter, migrate } from './migrations.ts'

/** The limit of a statement with its repetitions: a request gets its response within two seconds. */
const maxMs = 1500
/** Shorter, so that a server that still runs cancels the statement itself. */
const statementMs = 1400
const maxAttempts = 10
const maxCloseMs = 1000

interface Statement {
  name?: string
  text: string
  values: unknown[]
}

type Result = pg.QueryArrayResult<SQLOutputValue[]>

export type PostgresDatabase = Awaited<ReturnType<typeof openPostgresDatabase>>

/** Throws an Error without the URL, which may contain a password. */
export async function openPostgresDatabase(url: string) {
  try {
    await withClient(url, async (client, hostUrl) => {
      await assertSession(client, hostUrl)
      await migrate(client)
    })
  } catch (error) {
    const reason = toConnectionReason(findReason(error))
    throw new Error(`DATABASE_URL cannot be opened: ${reason}`, { cause: error })
  }
  const hosts = openHosts(url, statementMs)
  let closed: Promise<void> | undefined
  return {
    run: (statement: Statement) => run(hosts, statement),
    alter: (statement: string) =>
      withClient(url, (client) => alter(client, () => client.query(statement))),
    close: () =>
      (closed ??= Promise.race([hosts.close(), setTimeout(maxCloseMs, undefined, { ref: false })])),
  }
}

async function withClient(url: string, use: (client: pg.Client, hostUrl: string) => Promise<void>) {
  let failure: unknown
  for (const hostUrl of toHostUrls(url)) {
    const client = createClient(hostUrl)
    let isConnected = false
    try {
      await client.connect()
      await assertWritable(client)
      isConnected = true
      await use(client, hostUrl)
      return
    } catch (error) {
      if (isConnected) throw error
      failure = error
    } finally {
      await client.end()
    }
  }
  throw failure
}

async function run(hosts: Hosts, statement: Statement): Promise<Result> {
  const giveUpAt = performance.now() + maxMs
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runOnce(hosts, statement, giveUpAt)
    } catch (error) {
      const isLast = attempt === maxAttempts || performance.now() > giveUpAt
      if (isLast || !isConflict(error)) throw postgresErrorToFailure(error)
      await setTimeout(Math.random() * 5 * attempt)
    }
  }
}

async function runOnce(hosts: Hosts, statement: Statement, giveUpAt: number): Promise<Result> {
  const { client, pool } = await hosts.connect()
  const begin = performance.now()
  const query_timeout = Math.max(giveUpAt - begin, 100)
  try {
    const query = { ...statement, rowMode: 'array', query_timeout } as const
    const result = await client.query<SQLOutputValue[]>(query)
    client.release()
    return result
  } catch (error) {
    // A server that is merely slow would have cancelled the statement by then.
    if (isDisconnection(error) && performance.now() - begin > statementMs) hosts.giveUp(pool)
    // After any failure but a conflict the state of the connection is unknown.
    client.release(!isConflict(error))
    throw error
  }
}

function findReason(error: unknown): unknown {
  return error instanceof AggregateError ? findReason(error.errors.at(-1)) : error
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html
// Connections, resources, operator intervention (statement timeouts and shutdowns too), system errors,
// damage; a read-only server, a lock, and a missing account, database, privilege or table.
const unavailable = /^(08|53|57|58|28|3D|XX00[12]|25006|55000|55P03|42501|42P01)/

function isConflict(error: unknown): boolean {
  return ['40001', '40P01'].includes(toState(error))
}

function postgresErrorToFailure(error: unknown): unknown {
  const reason = findReason(error)
  const state = toState(reason)
  if (state === '53100') return new StoreFailure('full', reason)
  const isDown = isDisconnection(reason) || isConflict(reason) || unavailable.test(state)
  return isDown ? new StoreFailure('unavailable', reason) : reason
}

function isDisconnection(error: unknown): boolean {
  return error instanceof Error && !(error instanceof TypeError) && toState(error) === ''
}

function toState(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? '') : ''
}
