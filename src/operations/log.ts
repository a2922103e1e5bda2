import Fastify, { type FastifyBaseLogger } from 'fastify'
import { writeSync } from 'node:fs'
import type { Config } from '../config/config.ts'
import { hasCode } from '../http/errors/http-error.ts'
import { withoutSchemas } from '../server/server.ts'

export interface LogStream {
  write: (line: string) => void
  /** Writes together with the other lines of this turn of the event loop, or before the next `write`. */
  queue: (line: string) => void
}

/** The logger of a second instance, which serves nothing: with one, Fastify watches every response. */
export function createLog({ logLevel: level }: Config, stream: LogStream): FastifyBaseLogger {
  return Fastify({ ...withoutSchemas, logger: { level, stream } }).log
}

let queued = ''

/** Synchronous, so that no line is lost when an uncaught exception ends the process. */
export const standardOutput: LogStream = {
  write: (line) => {
    const lines = queued + line
    queued = ''
    if (lines !== '') writeLines(Buffer.from(lines))
  },
  queue: (line) => {
    if (queued === '') setImmediate(flush)
    queued += line
  },
}

function flush(): void {
  standardOutput.write('')
}

// Node emits `exit` before it reports an uncaught exception.
process.on('exit', flush)

/** After a write has blocked for this long, further writes do not wait until one succeeds. */
const maxBlockMs = 1000
const clock = new Int32Array(new SharedArrayBuffer(4))
let isStuck = false
/** The end of a line whose start was written before the output was stuck. */
let cutOff = Buffer.alloc(0)
const newline = 10

function writeLines(lines: Buffer): void {
  const bytes = Buffer.concat([cutOff, lines])
  const until = isStuck ? 0 : performance.now() + maxBlockMs
  let written = 0
  while (written < bytes.length) {
    try {
      written += writeSync(1, bytes, written)
      isStuck = false
    } catch (error) {
      const isBusy = hasCode(error, 'EAGAIN')
      isStuck = isBusy && performance.now() > until
      if (!isBusy || isStuck) break
      Atomics.wait(clock, 0, 0, 5)
    }
  }
  const isLineStart = written === 0 ? cutOff.length === 0 : bytes[written - 1] === newline
  const end = isLineStart ? written : bytes.indexOf(newline, written) + 1
  cutOff = bytes.subarray(written, end)
}
