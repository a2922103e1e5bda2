import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { findProgram } from './find-program.ts'
import { findFreePort } from '../src/operations/free-port.ts'

const program = findProgram('redis-server', 'valkey-server')

/**
 * What a test that needs Redis or Valkey says of itself. It is skipped where there is none, unless
 * `REQUIRE_REDIS` is set, as it is in CI: then it fails.
 */
export const withRedis = {
  skip:
    program === undefined && !process.env.REQUIRE_REDIS
      ? 'there is no Redis here; install redis-server or valkey-server'
      : false,
}

export interface RedisServer {
  url: string
  signal: (name: 'SIGSTOP' | 'SIGCONT') => void
  kill: () => Promise<void>
  /** On the same port, and empty. */
  restart: () => Promise<void>
}

/** Starts Redis on a free port, keeping nothing on disk; the caller kills it. */
export async function startRedis(flags: readonly string[] = []): Promise<RedisServer> {
  const port = await findFreePort()
  const start = () => run(['--port', String(port), '--bind', '127.0.0.1', '--save', '', ...flags])
  let child = await start()
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return {
    url: `redis://127.0.0.1:${String(port)}`,
    signal: (name) => child.kill(name),
    kill,
    restart: async () => {
      child = await start()
    },
  }
}

async function run(flags: readonly string[]): Promise<ChildProcess> {
  if (program === undefined) throw new Error('REQUIRE_REDIS is set: there is no redis-server')
  const child = spawn(program, flags, { cwd: tmpdir(), stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  while (!output.includes('eady to accept connections')) {
    if (child.exitCode !== null) throw new Error(`Redis did not start: ${output}`)
    await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
  }
  return child
}
