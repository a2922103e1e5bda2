import Fastify, { type FastifyBaseLogger } from 'fastify'
import type { Config } from './config.ts'
import { withoutSchemas } from './http/server.ts'

/** Takes whole lines. */
export interface LogStream {
  write: (line: string) => void
}

/**
 * The logger that Fastify brings, out of an instance that serves nothing: one that has a logger
 * follows every answer to its end, which is a twentieth of what a small one costs. On standard output,
 * each line is written at once, so that the last before a crash is there.
 */
export function createLog(
  { logLevel: level }: Pick<Config, 'logLevel'>,
  stream?: LogStream,
): FastifyBaseLogger {
  return Fastify({ ...withoutSchemas, logger: { level, ...(stream && { stream }) } }).log
}
