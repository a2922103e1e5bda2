import Fastify, { type FastifyBaseLogger } from 'fastify'
import { writeSync } from 'node:fs'
import type { Config } from '../config/config.ts'
import { withoutSchemas } from '../server/server.ts'

/** Receives whole lines. */
export interface LogStream {
  write: (line: string) => void
}

/**
 * The logger of a Fastify instance that serves nothing: an instance with a logger follows every
 * response to its end, which slows small responses down.
 */
export function createLog(
  { logLevel: level }: Pick<Config, 'logLevel'>,
  stream: LogStream = createStandardOutput(),
): FastifyBaseLogger {
  return Fastify({ ...withoutSchemas, logger: { level, stream } }).log
}

/** After a write has blocked for this long, further writes do not wait until one succeeds. */
const maxBlockMs = 1000

/**
 * Writes each line synchronously, so that the last line before a crash is written. A line that cannot
 * be written is lost; the stream of the library would retry for ever.
 */
function createStandardOutput(): LogStream {
  const clock = new Int32Array(new SharedArrayBuffer(4))
  let isStuck = false
  return {
    write: (line) => {
      let rest = Buffer.from(line)
      const until = isStuck ? 0 : performance.now() + maxBlockMs
      while (rest.length > 0) {
        try {
          rest = rest.subarray(writeSync(1, rest))
          isStuck = false
        } catch (error) {
          const isBusy = error instanceof Error && 'code' in error && error.code === 'EAGAIN'
          isStuck = isBusy && performance.now() > until
          if (!isBusy || isStuck) return
          Atomics.wait(clock, 0, 0, 5)
        }
      }
    },
  }
}
