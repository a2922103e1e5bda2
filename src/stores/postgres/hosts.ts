import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { clearTimeout, setTimeout } from '../../timers.ts'

const maxConnectMs = 700
/** A burst of requests waits so long for one of ten connections. */
const maxWaitMs = 5000
const ignore = () => undefined

export function toHostUrls(url: string): string[] {
  const [, scheme = '', user = '', hosts = '', rest = ''] =
    /^(\w+:\/\/)([^/?#]*@)?([^/?#]*)(.*)$/s.exec(url) ?? []
  return hosts.split(',').map((host) => `${scheme}${user}${host}${rest}`)
}

const hostOptions = { keepAlive: true, fallback_application_name: 'vitrine' }

export function createClient(connectionString: string, query_timeout = 0): pg.Client {
  const limits = { connectionTimeoutMillis: 5000, query_timeout }
  const client = new pg.Client({ ...hostOptions, ...limits, connectionString })
  // An error without a listener would end the process; the next query reports it.
  return client.on('error', ignore)
}

export type Hosts = ReturnType<typeof openHosts>

/** Connects to the last writable host. If that fails, tries all at once: a failover is one attempt. */
export function openHosts(url: string, statementMs: number) {
  const hostUrls = toHostUrls(url)
  const pools = hostUrls.map((hostUrl) => openPool(hostUrl, statementMs))
  let [current] = pools
  return {
    connect: async () => {
      try {
        if (current) return await connectTo(current)
      } catch (error) {
        if (pools.length === 1) throw error
      }
      const first = await connectToFirst(pools)
      current = first.pool
      return first
    },
    giveUp: (pool: pg.Pool) => {
      const index = pools.indexOf(pool)
      if (index === -1) return
      pools[index] = openPool(hostUrls[index] ?? '', statementMs)
      current = undefined
      pool.end().catch(ignore)
      rejectWaiters(pool, new Error('the server does not respond'))
    },
    close: async () => {
      await Promise.all(pools.map((pool) => pool.end()))
    },
  }
}

async function connectTo(pool: pg.Pool) {
  const connecting = pool.connect()
  connecting.catch((error: unknown) => {
    // It responds if it rejects the connection, for example because it has too many.
    if (!(error instanceof pg.DatabaseError)) rejectWaiters(pool, error)
  })
  if (pool.waitingCount === 0) return { client: await connecting, pool }
  const waiting = Promise.withResolvers<never>()
  const all = waitersOf(pool).add(waiting.reject)
  const timer = setTimeout(() => {
    waiting.reject(new Error('no connection is free'))
  }, maxWaitMs)
  try {
    return { client: await Promise.race([connecting, waiting.promise]), pool }
  } catch (error) {
    connecting.then((client) => {
      client.release()
    }, ignore)
    throw error
  } finally {
    clearTimeout(timer)
    all.delete(waiting.reject)
  }
}

const allWaiters = new WeakMap<pg.Pool, Set<(error: unknown) => void>>()

function waitersOf(pool: pg.Pool) {
  const waiters = allWaiters.get(pool) ?? new Set()
  allWaiters.set(pool, waiters)
  return waiters
}

/** Nobody waits for a server that does not respond. */
function rejectWaiters(pool: pg.Pool, error: unknown): void {
  for (const reject of waitersOf(pool)) reject(error)
}

async function connectToFirst(pools: readonly pg.Pool[]) {
  const attempts = pools.map(connectTo)
  const first = await Promise.any(attempts)
  const release = (other: typeof first) => {
    if (other !== first) other.client.release()
  }
  for (const attempt of attempts) attempt.then(release, ignore)
  return first
}

/** The limit of the pool would be that of the wait for a free connection too. */
class Client extends pg.Client {
  constructor(config: pg.ClientConfig = {}) {
    super({ ...config, connectionTimeoutMillis: maxConnectMs })
  }
}

function openPool(hostUrl: string, statementMs: number): pg.Pool {
  const pool = new pg.Pool({
    ...hostOptions,
    connectionString: hostUrl,
    max: 10,
    idleTimeoutMillis: 60_000,
    Client,
    query_timeout: maxConnectMs,
    // eslint-disable-next-line @typescript-eslint/no-misused-promises -- the pool waits for it
    onConnect: (client) => prepareClient(client, statementMs),
  })
  pool.on('error', ignore)
  return pool.on('connect', (client) => client.on('error', ignore))
}

export async function prepareClient(client: pg.ClientBase, statementMs: number): Promise<void> {
  // PgBouncer rejects connections that set this at their start.
  await client.query(`SET statement_timeout = ${String(statementMs)}`)
  // Until it has been analyzed, PostgreSQL would rather read and sort the whole table.
  await client.query('SET enable_seqscan = off; SET enable_bitmapscan = off')
  await assertWritable(client)
}

/** Throws for a read-only server, which the old primary is after a failover (`target_session_attrs=read-write` of libpq). */
export async function assertWritable(client: pg.ClientBase): Promise<void> {
  const isReadOnly = await readText(client, 'SHOW transaction_read_only')
  if (isReadOnly === 'on') throw new Error('the server is read-only')
}

/** Other clients must not share prepared statements and settings (pool_mode=transaction). */
export async function assertSession(client: pg.Client, hostUrl: string): Promise<void> {
  const mark = randomUUID()
  const readMark = `SELECT current_setting('vitrine.session', true)`
  const other = createClient(hostUrl, 5000)
  try {
    await other.connect()
    await client.query(`SELECT set_config('vitrine.session', '${mark}', false)`)
    // A pooler with several idle connections may use another one each time, without the mark.
    const isKept = (await readText(client, readMark)) === mark
    // A pooler with a single idle connection gives it, with the mark, to the next transaction.
    await other.query('BEGIN')
    const isShared = (await readText(other, readMark)) === mark
    if (!isKept || isShared)
      throw new Error('PgBouncer must pool sessions (pool_mode=session), not transactions')
  } finally {
    await other.end()
  }
}

export async function readText(client: pg.ClientBase, text: string): Promise<string> {
  const { rows } = await client.query<[unknown]>({ text, rowMode: 'array' })
  return String(rows[0]?.[0])
}
