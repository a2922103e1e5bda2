import { once } from 'node:events'
import type { SQLOutputValue } from 'node:sqlite'
import pg from 'pg'
import { toConnectionReason } from '../connection-reason.ts'
import { hasCode } from '../../config/has-code.ts'
import { maxSlowReadMs } from '../../config/limits.ts'
import { isUnavailable, StoreFailure, toReason } from '../store-failure.ts'
import { assertSession, assertWritable, createClient, openHosts, toHostUrls } from './hosts.ts'
import type { Hosts } from './hosts.ts'
import { alter, migrate } from './migrations.ts'
import { delay, performance } from '../../timers.ts'

/** The limit of a statement with its repetitions: a request gets its response within two seconds. */
const maxMs = 1500
/** It is shorter than `maxMs`, so that a server that still runs cancels the statement itself. */
const statementMs = 1400
/** The limit of a whole list that is sorted: ten million records take longer than those of a page. */
const maxSortMs = 60_000
/** Each keeps one of ten connections while its client reads, and the others are for other requests. */
const maxReaders = 4
const maxAttempts = 10
const maxCloseMs = 1000
const reconnectMs = 1000

interface PostgresStatement {
  name?: string
  text: string
  values?: unknown[]
}

export type Query = (statement: PostgresStatement) => Promise<pg.QueryArrayResult<SQLOutputValue[]>>
type Work<Outcome> = (query: Query) => Promise<Outcome>

export type PostgresDatabase = Awaited<ReturnType<typeof openPostgresDatabase>>

/** Throws an Error without the URL, which may contain a password; a StoreFailure if it is not reachable. */
export async function openPostgresDatabase(url: string) {
  try {
    await withClient(url, async (client, hostUrl) => {
      await assertSession(client, hostUrl)
      await migrate(client)
    })
  } catch (error) {
    const reason = findReason(error)
    const hint = isOfUnknownAuthority(reason) ? `. ${nameAuthority}` : ''
    const message = `DATABASE_URL cannot be opened: ${toConnectionReason(reason)}${hint}`
    const failure = new Error(message, { cause: error })
    throw isUnavailable(error) ? new StoreFailure('unavailable', failure) : failure
  }
  const hosts = openHosts(url, statementMs)
  const readers = { count: 0 }
  let closed: Promise<void> | undefined
  return {
    run: <Outcome>(work: Work<Outcome>) => run(hosts, work),
    /** A query that may take longer than others, and for which reading a whole table can be best. */
    read: (statement: PostgresStatement) =>
      run(hosts, (query) => readSlowly(query, statement), maxSlowReadMs.postgresql),
    /** Such a query whose rows wait on the server. Undefined if too many others wait. */
    readParts: (statement: PostgresStatement) =>
      readers.count < maxReaders ? readParts(hosts, statement, readers) : undefined,
    /** Repeats the work if the server aborts it for another transaction. */
    transact: (work: Work<number | undefined>) =>
      run(hosts, (query) => runInTransaction(query, work)),
    /** Runs in one transaction without a limit of time, which waits for those of other processes. */
    alter: (change: (client: pg.Client) => Promise<unknown>) =>
      withClient(url, (client) => alter(client, () => change(client))),
    /** Opens a connection of its own, without a limit of time. The caller ends it. */
    connect: async () => (await connect(url)).client,
    /** Connects again after a disconnection, in which notifications are lost. Returns what stops it. */
    listen: (channel: string, take: () => void) => {
      const stopping = new AbortController()
      void listen(url, { channel, take, signal: stopping.signal })
      return () => {
        stopping.abort()
      }
    },
    close: () =>
      (closed ??= Promise.race([hosts.close(), delay(maxCloseMs, undefined, { ref: false })])),
  }
}

async function withClient(url: string, use: (client: pg.Client, hostUrl: string) => Promise<void>) {
  const { client, hostUrl } = await connect(url)
  try {
    await use(client, hostUrl)
  } finally {
    await client.end()
  }
}

async function connect(url: string) {
  let failure: unknown
  for (const hostUrl of toHostUrls(url)) {
    const client = createClient(hostUrl)
    try {
      await client.connect()
      await assertWritable(client)
      return { client, hostUrl }
    } catch (error) {
      failure = error
      await client.end()
    }
  }
  // These states occur also while a server starts or stops.
  const isUnreachable = isDisconnection(failure) || /^(08|53|57)/.test(toState(failure))
  throw isUnreachable && !isTlsProblem(failure) ? new StoreFailure('unavailable', failure) : failure
}

interface Listening {
  channel: string
  take: () => void
  signal: AbortSignal
}

async function listen(url: string, { channel, take, signal }: Listening): Promise<void> {
  const isStopped = () => signal.aborted
  while (!isStopped()) {
    await withClient(url, async (client) => {
      client.on('notification', take)
      await client.query(`LISTEN ${channel}`)
      take()
      await once(client, 'end', { signal })
    }).catch(() => undefined)
    await delay(reconnectMs, undefined, { signal, ref: false }).catch(() => undefined)
  }
}

async function run<Outcome>(hosts: Hosts, work: Work<Outcome>, limitMs = maxMs): Promise<Outcome> {
  let giveUpAt = performance.now() + limitMs
  for (let attempt = 1; ; attempt += 1) {
    try {
      const before = performance.now()
      const connection = await hosts.connect()
      // The wait for a free connection has its own limit.
      giveUpAt += performance.now() - before
      return await runOnce(hosts, connection, { work, giveUpAt })
    } catch (error) {
      const isLast = attempt === maxAttempts || performance.now() > giveUpAt
      if (isLast || !isConflict(error)) throw postgresErrorToFailure(error)
      await delay(Math.random() * 5 * attempt)
    }
  }
}

async function runOnce<Outcome>(
  hosts: Hosts,
  { client, pool }: Awaited<ReturnType<Hosts['connect']>>,
  { work, giveUpAt }: { work: Work<Outcome>; giveUpAt: number },
) {
  let begin = 0
  const query: Query = (statement) => {
    begin = performance.now()
    const query_timeout = Math.max(giveUpAt - begin, 100)
    const config = { ...statement, rowMode: 'array', query_timeout } as const
    return client.query<SQLOutputValue[]>(config)
  }
  try {
    const outcome = await work(query)
    client.release()
    return outcome
  } catch (error) {
    // A server that is merely slow would have cancelled the statement by then.
    if (isDisconnection(error) && performance.now() - begin > statementMs) hosts.giveUp(pool)
    // After any failure but a conflict the state of the connection is unknown.
    client.release(!isConflict(error))
    throw error
  }
}

/** Long transactions use the queries of one connection. */
export function createQuery(client: pg.ClientBase, limits: { query_timeout?: number } = {}): Query {
  const options = { ...limits, rowMode: 'array' } as const
  return (statement) =>
    client.query<SQLOutputValue[]>({ ...statement, ...options }).catch((error: unknown) => {
      throw postgresErrorToFailure(error)
    })
}

const beginRead = (limitMs: number) => `BEGIN READ ONLY;
  SET LOCAL statement_timeout = ${String(limitMs - maxMs + statementMs)};
  SET LOCAL enable_seqscan = on; SET LOCAL enable_bitmapscan = on`

async function readSlowly(query: Query, statement: PostgresStatement) {
  await query({ text: beginRead(maxSlowReadMs.postgresql) })
  const found = await query(statement)
  await query({ text: 'COMMIT' })
  return found
}

async function* readParts(hosts: Hosts, statement: PostgresStatement, readers: { count: number }) {
  readers.count += 1
  try {
    yield* fetchParts((await hosts.connect()).client, statement)
  } catch (error) {
    throw postgresErrorToFailure(error)
  } finally {
    readers.count -= 1
  }
}

/** The cursor keeps its rows, but no transaction, which would keep VACUUM from removing old rows. */
async function* fetchParts(client: pg.PoolClient, statement: PostgresStatement) {
  const query = createQuery(client, { query_timeout: maxSortMs })
  try {
    await query({ text: beginRead(maxSortMs) })
    await query({ ...statement, text: `DECLARE part CURSOR WITH HOLD FOR ${statement.text}` })
    await query({ text: 'COMMIT' })
    for (;;) {
      const { rows } = await query({ text: 'FETCH 1000 FROM part' })
      if (rows.length === 0) return
      yield rows
    }
  } finally {
    // The cursor ends with its connection, whose state is unknown after a failure.
    client.release(true)
  }
}

/** Undoes everything if `work` returns a number: that of a step that failed. */
async function runInTransaction(query: Query, work: Work<number | undefined>) {
  // A condition that waited for another transaction must see what that one wrote.
  await query({ text: 'BEGIN ISOLATION LEVEL READ COMMITTED' })
  try {
    const failed = await work(query)
    await query({ text: failed === undefined ? 'COMMIT' : 'ROLLBACK' })
    return failed
  } catch (error) {
    if (isConflict(error)) await query({ text: 'ROLLBACK' })
    throw error
  }
}

const nameAuthority =
  'Name the file with the certificate of its authority in DATABASE_URL: sslrootcert=/path/to/ca.pem'

function isOfUnknownAuthority(error: unknown): boolean {
  return hasCode(
    error,
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  )
}

/** A retry cannot fix these, unlike a lost connection. */
function isTlsProblem(error: unknown): boolean {
  return (
    isOfUnknownAuthority(error) || toReason(error) === 'The server does not support SSL connections'
  )
}

function findReason(error: unknown): unknown {
  if (error instanceof StoreFailure) return findReason(error.cause)
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
