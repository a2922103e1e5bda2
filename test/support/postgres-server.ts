import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  accessSync,
  chownSync,
  constants,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import pg from 'pg'
import { findFreePort } from './free-port.ts'

/** A server of a test's own, in a temporary folder, reached over TCP on this machine alone. */
export interface PostgresServer {
  url: string
  /** Of its first process. */
  pid: () => number
  /** Ends it, and everybody's connections: in order, or with SIGQUIT as a crash would. */
  stop: (signal?: 'SIGINT' | 'SIGQUIT') => Promise<void>
  start: () => Promise<void>
  /** Keeps connections and sends nothing, like a machine that hangs. */
  freeze: () => void
  thaw: () => void
  /** Stops it and removes the folder. */
  remove: () => Promise<void>
}

/** The folder of PostgreSQL's programs; undefined where there is none. */
export function findPostgres(): string | undefined {
  const { PATH = '' } = process.env
  const folders = [...PATH.split(delimiter), ...globSync('/usr/lib/postgresql/*/bin').toSorted()]
  return folders.findLast((folder) => {
    try {
      accessSync(join(folder, 'initdb'), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** False, or why there can be no such test here: for `skip`. In CI there has to be one. */
export const withoutPostgres =
  findPostgres() === undefined && !process.env.REQUIRE_POSTGRES
    ? 'there is no PostgreSQL on this machine'
    : false

interface ServerOptions {
  /** The server that it follows, as the standby of this name. */
  primary?: { url: string; name: string }
  settings?: Readonly<Record<string, string>>
}

/** Starts a server; {@link PostgresServer.remove} is the caller's to call. */
export async function openPostgresServer(options: ServerOptions = {}): Promise<PostgresServer> {
  const programs = findPostgres()
  if (programs === undefined) throw new Error('REQUIRE_POSTGRES is set: there is no PostgreSQL')
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-postgres-'))
  const account = findAccount()
  if (account) chownSync(folder, account.uid, account.gid)
  const files = join(folder, 'files')
  const [program, flags] = toCreation(files, options)
  const created = spawnSync(join(programs, program), flags, { ...account, cwd: folder })
  if (created.status !== 0) throw new Error(`${program}: ${String(created.stderr)}`)
  const port = await findFreePort()
  let child: ChildProcess

  async function start(): Promise<void> {
    const settings = {
      listen_addresses: '127.0.0.1',
      port: String(port),
      unix_socket_directories: '',
      // What is committed survives the server, and not the machine.
      fsync: 'off',
      ...options.settings,
    }
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    child = spawn(join(programs ?? '', 'postgres'), ['-D', files, ...flags], {
      ...account,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let written = ''
    child.stderr?.on('data', (chunk: Buffer) => (written += chunk.toString()))
    while (!/ready to accept .*connections/.test(written)) {
      if (child.exitCode !== null) throw new Error(`PostgreSQL did not start: ${written}`)
      await Promise.race([once(child.stderr ?? child, 'data'), once(child, 'exit')])
    }
  }

  async function stop(signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    await once(child, 'exit')
  }

  /** The first process begins the others, one for each connection and for each duty. */
  function signalAll(signal: NodeJS.Signals): void {
    const { pid = 0 } = child
    child.kill(signal)
    const children = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8')
    for (const one of children.split(' ').filter(Boolean)) {
      try {
        process.kill(Number(one), signal)
      } catch (error) {
        // It has ended since.
        if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
      }
    }
  }

  await start()
  return {
    url: `postgres://vitrine@127.0.0.1:${String(port)}/postgres`,
    pid: () => child.pid ?? 0,
    stop,
    start,
    freeze: () => {
      signalAll('SIGSTOP')
    },
    thaw: () => {
      signalAll('SIGCONT')
    },
    remove: async () => {
      if (child.exitCode === null && child.signalCode === null) signalAll('SIGCONT')
      await stop('SIGQUIT')
      rmSync(folder, { recursive: true })
    },
  }
}

/** The program that makes the files of a server, and its flags. */
function toCreation(files: string, { primary }: ServerOptions): [program: string, string[]] {
  if (primary) {
    const source = `${primary.url}?application_name=${primary.name}`
    return ['pg_basebackup', ['-D', files, '-d', source, '-R', '-c', 'fast', '--no-sync']]
  }
  // The order of a language, which the records have to be kept from.
  const order = ['--locale=C.UTF-8', '--locale-provider=icu', '--icu-locale=en-US']
  return ['initdb', ['-D', files, '-U', 'vitrine', '-A', 'trust', '-E', 'UTF8', '-N', ...order]]
}

/** PostgreSQL rejects to run as root. */
function findAccount(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const uid = Number(spawnSync('id', ['-u', 'postgres']).stdout)
  return uid > 0 ? { uid, gid: uid } : { uid: 65_534, gid: 65_534 }
}

/** Runs statements on a server, one after the other; gives the rows of the last. */
export async function query(url: string, ...statements: readonly string[]) {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    let rows: Record<string, unknown>[] = []
    for (const statement of statements) ({ rows } = await client.query(statement))
    return rows
  } finally {
    await client.end()
  }
}

/** An empty schema on a server that is thrown away, as DATABASE_URL. */
export async function createSchema(serverUrl: string): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`
  await query(serverUrl, `CREATE SCHEMA ${name}`)
  return `${serverUrl}?options=-csearch_path%3D${name}`
}
