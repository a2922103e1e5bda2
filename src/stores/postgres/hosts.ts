import { randomUUID } from 'node:crypto'
import pg from 'pg'

const maxConnectMs = 700

/** The caller releases the client. */
interface Connection {
  client: pg.PoolClient
  pool: pg.Pool
}

export interface Hosts {
  /** Rejects when no host can be reached and takes writes. */
  connect: () => Promise<Connection>
  /** Closes all connections to a host that does not respond. */
  giveUp: (connection: Connection) => void
  close: () => Promise<void>
}

/** One URL for each host of `postgres://a:5432,b/db`. */
export function toHostUrls(url: string): string[] {
  const [, scheme = '', user = '', hosts = '', rest = ''] =
    /^(\w+:\/\/)([^/?#]*@)?([^/?#]*)(.*)$/s.exec(url) ?? []
  return hosts.split(',').map((host) => `${scheme}${user}${host}${rest}`)
}

export function createClient(connectionString: string, options?: pg.ClientConfig): pg.Client {
  const client = new pg.Client({
    ...toClientOptions(connectionString),
    connectionTimeoutMillis: 5000,
    ...options,
  })
  // An error without a listener would end the process; the next query reports it.
  return client.on('error', ignore)
}

function toClientOptions(connectionString: string): pg.ClientConfig {
  return { connectionString, keepAlive: true, fallback_application_name: 'vitrine' }
}

/**
 * One pool for each host. The host that took writes last is tried first; when it fails, all are
 * tried at once, so that a failover costs one attempt.
 */
export function openHosts(url: string, statementMs: number): Hosts {
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
    giveUp: ({ pool }) => {
      const index = pools.indexOf(pool)
      if (index === -1) return
      pools[index] = openPool(hostUrls[index] ?? '', statementMs)
      current = undefined
      pool.end().catch(ignore)
    },
    close: async () => {
      await Promise.all(pools.map((pool) => pool.end()))
    },
  }
}

async function connectTo(pool: pg.Pool): Promise<Connection> {
  return { client: await pool.connect(), pool }
}

async function connectToFirst(pools: readonly pg.Pool[]): Promise<Connection> {
  const attempts = pools.map(connectTo)
  const first = await Promise.any(attempts)
  for (const attempt of attempts) {
    void attempt.then((other) => {
      if (other !== first) other.client.release()
    }, ignore)
  }
  return first
}

function openPool(hostUrl: string, statementMs: number): pg.Pool {
  const pool = new pg.Pool({
    ...toClientOptions(hostUrl),
    max: 10,
    idleTimeoutMillis: 60_000,
    connectionTimeoutMillis: maxConnectMs,
    query_timeout: maxConnectMs,
    // eslint-disable-next-line @typescript-eslint/no-misused-promises -- the pool waits for it
    onConnect: (client) => prepareClient(client, statementMs),
  })
  // The pool has removed the connection and its user got the error.
  pool.on('error', ignore)
  return pool.on('connect', (client) => client.on('error', ignore))
}

async function prepareClient(client: pg.ClientBase, statementMs: number): Promise<void> {
  // PgBouncer rejects connections that set this at their start.
  await client.query(`SET statement_timeout = ${String(statementMs)}`)
  // Every query is planned for an index. PostgreSQL would rather read and sort the whole table until
  // it has been analyzed, which may be minutes after it was filled.
  await client.query('SET enable_seqscan = off; SET enable_bitmapscan = off')
  await assertWritable(client)
}

/** Like `target_session_attrs=read-write` of libpq: after a failover the old primary is read-only. */
export async function assertWritable(client: pg.ClientBase): Promise<void> {
  const isReadOnly = await readText(client, 'SHOW transaction_read_only')
  if (isReadOnly === 'on') throw new Error('the server takes no writes')
}

/**
 * Throws where a pooler shares connections between transactions (pool_mode of PgBouncer): prepared
 * statements and settings would be those of other clients.
 */
export async function assertSession(client: pg.Client, hostUrl: string): Promise<void> {
  const mark = randomUUID()
  const readMark = `SELECT current_setting('vitrine.session', true)`
  const other = createClient(hostUrl, { query_timeout: 5000 })
  try {
    await other.connect()
    await client.query(`SELECT set_config('vitrine.session', '${mark}', false)`)
    // A pooler with several idle connections may use the next one each time...
    const isKept = (await readText(client, readMark)) === mark
    // ...and one with a single idle connection gives it to the next transaction.
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

function ignore(): void {
  // The error is reported elsewhere.
}
