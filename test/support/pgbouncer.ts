import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chown, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { findFreePort } from './free-port.ts'
import { findProgram } from './find-program.ts'
import { withoutPostgres } from './postgres-server.ts'
import { temporaryFolder } from './start-vitrine.ts'

// Debian has it where only root's PATH looks.
const program = findProgram('pgbouncer', '../sbin/pgbouncer')

/** False, or why there can be no such test here: for `skip`. In CI there has to be one. */
export const withoutPgBouncer =
  withoutPostgres ||
  (program === undefined && !process.env.REQUIRE_POSTGRES
    ? 'there is no PgBouncer on this machine'
    : false)

interface PgBouncerOptions {
  poolMode: 'session' | 'transaction' | 'statement'
  settings?: Readonly<Record<string, string>>
}

/** Starts PgBouncer in front of a server, as it is but for the mode; gives its DATABASE_URL. */
export async function startPgBouncer(
  t: TestContext,
  serverUrl: string,
  { poolMode, settings = {} }: PgBouncerOptions,
): Promise<string> {
  if (program === undefined) throw new Error('REQUIRE_POSTGRES is set: there is no PgBouncer')
  const folder = await temporaryFolder(t)
  const { hostname, port: serverPort } = new URL(serverUrl)
  const port = String(await findFreePort())
  const lines = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    auth_type: 'any',
    pool_mode: poolMode,
    unix_socket_dir: '',
    ...settings,
  }
  const file = join(folder, 'pgbouncer.ini')
  await writeFile(
    file,
    [
      '[databases]',
      `* = host=${hostname} port=${serverPort} user=vitrine`,
      '[pgbouncer]',
      ...Object.entries(lines).map(([name, value]) => `${name} = ${value}`),
    ].join('\n'),
  )
  // It rejects to run as root.
  const account = process.getuid?.() === 0 ? Number(spawnSync('id', ['-u', 'nobody']).stdout) : NaN
  if (account > 0) await chown(folder, account, account)
  const child = spawn(program, [file], {
    ...(account > 0 && { uid: account, gid: account }),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  let written = ''
  child.stderr.on('data', (chunk: Buffer) => (written += chunk.toString()))
  while (!written.includes('process up')) {
    if (child.exitCode !== null) throw new Error(`PgBouncer did not start: ${written}`)
    await Promise.race([once(child.stderr, 'data'), once(child, 'exit')])
  }
  return `postgres://vitrine@127.0.0.1:${port}/postgres`
}
