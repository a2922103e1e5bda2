import Fastify, { type FastifyBaseLogger } from 'fastify'
import { writeSync } from 'node:fs'
import type { Config } from '../config/config.ts'
import { withoutSchemas } from '../server/server.ts'

/** Takes whole lines. */
export interface LogStream {
  write: (line: string) => void
}

/**
 * The logger that Fastify brings, out of an instance that serves nothing: one that has a logger
 * follows every answer to its end, which is a twentieth of what a small one costs.
 */
export function createLog(
  { logLevel: level }: Pick<Config, 'logLevel'>,
  stream: LogStream = createOutput(),
): FastifyBaseLogger {
  return Fastify({ ...withoutSchemas, logger: { level, stream } }).log
}

/** A reader who takes nothing for so long is not waited for again before it takes something. */
const maxBlockMs = 1000

/**
 * Standard output. Each line is written at once, so that the last before a crash is there. One that
 * cannot be written, to a full disk or a reader that has gone, is lost, and the service goes on; the
 * stream of the library would try again for ever.
 */
function createOutput(): LogStream {
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
          const isBusy = (error as { code?: unknown }).code === 'EAGAIN'
          isStuck = isBusy && performance.now() > until
          if (!isBusy || isStuck) return
          Atomics.wait(clock, 0, 0, 5)
        }
      }
    },
  }
}
