import { randomUUID } from 'node:crypto'
import pg from 'pg'

const maxConnectMs = 700
const connectionsPerHost = 10
const maxIdleMs = 60_000

export interface Hosts {
  /** The caller releases it. Rejects when no host can be reached and takes writes. */
  connect: () => Promise<pg.PoolClient>
  /** Closes all connections to the host of this one, which does not respond. */
  giveUp: (client: pg.PoolClient) => void
  close: () => Promise<void>
}

/** One URL for each host of `postgres://a:5432,b/db`. */
export function toHostUrls(url: string): string[] {
  const [, scheme = '', authority = '', rest = ''] = /^(\w+:\/\/)([^/?#]*)(.*)$/s.exec(url) ?? []
  const at = authority.lastIndexOf('@') + 1
  const user = authority.slice(0, at)
  return authority
    .slice(at)
    .split(',')
    .map((host) => `${scheme}${user}${host}${rest}`)
}

export function toClientOptions(connectionString: string): pg.ClientConfig {
  return { connectionString, keepAlive: true, fallback_application_name: 'vitrine' }
}

/**
 * One pool for each host. The host that took writes last is tried first; when it fails, all are
 * tried at once, so that a failover costs one attempt.
 */
export function openHosts(url: string, statementMs: number): Hosts {
  const hostUrls = toHostUrls(url)
  const pools = hostUrls.map((hostUrl) => openPool(hostUrl, statementMs))
  const origins = new WeakMap<pg.PoolClient, pg.Pool>()
  let [current] = pools

  async function connectTo(pool: pg.Pool): Promise<pg.PoolClient> {
    const client = await pool.connect()
    origins.set(client, pool)
    return client
  }

  async function connectToAny(): Promise<pg.PoolClient> {
    const attempts = pools.map(connectTo)
    const first = await Promise.any(attempts)
    for (const attempt of attempts) {
      const releaseOther = (client: pg.PoolClient) => {
        if (client !== first) client.release()
      }
      void attempt.then(releaseOther, ignore)
    }
    current = origins.get(first)
    return first
  }

  return {
    connect: async () => {
      if (current === undefined) return connectToAny()
      try {
        return await connectTo(current)
      } catch (error) {
        if (pools.length === 1) throw error
        return connectToAny()
      }
    },
    giveUp: (client) => {
      for (const [index, pool] of pools.entries()) {
        if (pool !== origins.get(client)) continue
        pools[index] = openPool(hostUrls[index] ?? '', statementMs)
        current = undefined
        pool.end().catch(ignore)
      }
    },
    close: async () => {
      await Promise.all(pools.map((pool) => pool.end()))
    },
  }
}

function openPool(hostUrl: string, statementMs: number): pg.Pool {
  const pool = new pg.Pool({
    ...toClientOptions(hostUrl),
    max: connectionsPerHost,
    idleTimeoutMillis: maxIdleMs,
    connectionTimeoutMillis: maxConnectMs,
    query_timeout: maxConnectMs,
    // eslint-disable-next-line @typescript-eslint/no-misused-promises -- the pool waits for it
    onConnect: (client) => prepareClient(client, statementMs),
  })
  // The pool has removed the connection and its user got the error; an error without a listener
  // would end the process.
  pool.on('error', ignore)
  pool.on('connect', (client) => client.on('error', ignore))
  return pool
}

/**
 * Every query is planned for an index. PostgreSQL would rather read and sort the whole table until
 * it has been analyzed, which may be minutes after it was filled.
 */
const planner = 'SET enable_seqscan = off; SET enable_bitmapscan = off'

async function prepareClient(client: pg.ClientBase, statementMs: number): Promise<void> {
  // PgBouncer rejects connections that set this at their start.
  await client.query(`SET statement_timeout = ${String(statementMs)}`)
  await client.query(planner)
  await assertWritable(client)
}

/**
 * Like `target_session_attrs=read-write` of libpq: after a failover the old primary is read-only.
 */
export async function assertWritable(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ transaction_read_only: string }>(
    'SHOW transaction_read_only',
  )
  if (rows[0]?.transaction_read_only === 'on') throw new Error('the server takes no writes')
}

/**
 * Throws where a pooler shares connections between transactions (pool_mode of PgBouncer): prepared
 * statements and settings would be those of other clients.
 */
export async function assertSession(client: pg.Client, hostUrl: string): Promise<void> {
  const mark = randomUUID()
  const other = new pg.Client({
    ...toClientOptions(hostUrl),
    connectionTimeoutMillis: 5000,
    query_timeout: 5000,
  })
  other.on('error', ignore)
  try {
    await other.connect()
    await client.query(`SELECT set_config('vitrine.session', '${mark}', false)`)
    // A pooler with several idle connections may use the next one each time...
    const isKept = (await readMark(client)) === mark
    // ...and one with a single idle connection gives it to the next transaction.
    await other.query('BEGIN')
    const isShared = (await readMark(other)) === mark
    if (!isKept || isShared)
      throw new Error('PgBouncer must pool sessions (pool_mode=session), not transactions')
  } finally {
    await other.end()
  }
}

async function readMark(client: pg.Client): Promise<string | null | undefined> {
  const { rows } = await client.query<{ mark: string | null }>(
    `SELECT current_setting('vitrine.session', true) AS mark`,
  )
  return rows[0]?.mark
}

function ignore(): void {
  // The error is reported elsewhere.
}
