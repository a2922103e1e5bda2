import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { after, before, type TestContext } from 'node:test'
import { findProgram } from './find-program.ts'
import { findFreePort } from './free-port.ts'
import { openRedisDatabase } from '../../src/stores/redis/database.ts'

const program = findProgram('redis-server', 'valkey-server')

/**
 * Options of a test that needs Redis or Valkey. It is skipped when neither is installed, unless
 * `REQUIRE_REDIS` is set, as it is in CI: then it fails.
 */
export const withRedis = {
  skip:
    program === undefined && !process.env.REQUIRE_REDIS
      ? 'Redis is not installed; install redis-server or valkey-server'
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

/** Starts Redis before the tests of a suite and ends it after them; returns a function that connects. */
export function useRedis() {
  let url = ''
  let kill: RedisServer['kill'] | undefined
  before(async () => {
    ;({ url, kill } = await startRedis())
  })
  after(() => kill?.())
  return async (t: TestContext) => {
    const { redis, close } = await openRedisDatabase(url, assert.fail)
    t.after(close)
    return redis
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
