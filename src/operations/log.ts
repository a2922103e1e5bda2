import Fastify, { type FastifyBaseLogger } from 'fastify'
import { writeSync } from 'node:fs'
import type { Config } from '../config/config.ts'
import { withoutSchemas } from '../server/server.ts'

export interface LogStream {
  write: (line: string) => void
}

/** Of an instance that serves nothing: with a logger, Fastify follows every response to its end. */
export function createLog(
  { logLevel: level }: Config,
  stream: LogStream = { write: writeToStandardOutput },
): FastifyBaseLogger {
  return Fastify({ ...withoutSchemas, logger: { level, stream } }).log
}

/** After a write has blocked for this long, further writes do not wait until one succeeds. */
const maxBlockMs = 1000
const clock = new Int32Array(new SharedArrayBuffer(4))
let isStuck = false

/** Synchronous, so that the last line before a crash is written. The library would retry for ever. */
function writeToStandardOutput(line: string): void {
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
}
