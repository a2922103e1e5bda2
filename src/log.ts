import Fastify, { type FastifyBaseLogger } from 'fastify'
import type { Config } from './config.ts'
import { withoutSchemas } from './http/server.ts'

/** Takes whole lines. */
export interface LogStream {
  write: (lines: string) => void
}

/**
 * The logger that Fastify brings, out of an instance that serves nothing: one that has a logger
 * follows every answer to its end, which is a twentieth of what a small one costs.
 */
export function createLog(
  { logLevel: level }: Pick<Config, 'logLevel'>,
  stream: LogStream = inOneGo(process.stdout),
): FastifyBaseLogger {
  return Fastify({ ...withoutSchemas, logger: { level, stream } }).log
}

/** PIPE_BUF of Linux: so much of several processes goes through one pipe without being mixed. */
const maxLength = 4096

/** Writes the lines of one turn of the event loop together: a write for each costs as much as the line. */
function inOneGo(stream: LogStream): LogStream {
  let lines = ''
  const flush = () => {
    if (lines !== '') stream.write(lines)
    lines = ''
  }
  return {
    write: (line) => {
      if (lines.length + line.length > maxLength) flush()
      if (lines === '') setImmediate(flush)
      lines += line
    },
  }
}
