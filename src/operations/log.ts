import Fastify, { LogController, type FastifyRequest, type FastifyBaseLogger } from 'fastify'
import { writeSync } from 'node:fs'
import { hostname } from 'node:os'
import type { FinishedResponse } from '../http/response/observe-response.ts'
import { toPath } from '../http/request/target.ts'
import { hideSecrets } from '../http/security/own-secrets.ts'
import type { Config } from '../config/config.ts'
import { hasCode } from '../config/has-code.ts'
import { withoutSchemas } from '../server/server.ts'
import { performance, setImmediate } from '../timers.ts'

export interface LogStream {
  write: (line: string) => void
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
let lineRest = Buffer.alloc(0)
const newline = 10

function writeLines(lines: Buffer): void {
  const bytes = Buffer.concat([lineRest, lines])
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
  const isLineStart = written === 0 ? lineRest.length === 0 : bytes[written - 1] === newline
  const end = isLineStart ? written : bytes.indexOf(newline, written) + 1
  lineRest = bytes.subarray(written, end)
}

const ofProcess = `${member('pid', process.pid)}${member('hostname', hostname())}`

/**
 * In pino's format, by hand because pino takes three times as long. The path has no query string,
 * which may contain personal data.
 */
export function toLogLine({ id, raw }: FastifyRequest, response: FinishedResponse): string {
  const { receivedMethod, url = '', headers } = raw
  const { method, route, status, ms, bytes, isCutOff, failure } = response
  const { traceparent } = headers
  const trace = typeof traceparent === 'string' ? parseTraceparent(traceparent) : undefined
  return (
    `{"level":30,"time":${String(Date.now())}${ofProcess}` +
    member('reqId', id) +
    member('method', method) +
    member('receivedMethod', receivedMethod) +
    member('path', hideSecrets(toPath(url))) +
    member('route', route) +
    member('status', status) +
    member('ms', Math.round(ms * 1000) / 1000) +
    member('bytes', bytes) +
    member('traceId', trace?.traceId) +
    member('parentId', trace?.parentId) +
    member('cutOff', isCutOff || undefined) +
    member('failure', failure) +
    ',"msg":"request completed"}\n'
  )
}

function member(name: string, value: string | number | true | undefined): string {
  if (value === undefined) return ''
  return `,"${name}":${typeof value === 'string' ? JSON.stringify(value) : String(value)}`
}

/** Version ff is invalid, 00 ends after the flags, and an id of zeros is invalid (W3C Trace Context, §3.2). */
const traceparentPattern =
  /^(?!ff|00.{54})[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}(-.*)?$/

export function parseTraceparent(text: string): { traceId: string; parentId: string } | undefined {
  const [, traceId, parentId] = traceparentPattern.exec(text) ?? []
  return traceId && parentId ? { traceId, parentId } : undefined
}

export class ErrorLog extends LogController {
  override streamError(error: Error & { code?: string }, { id, server }: FastifyRequest): void {
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return
    server.log.warn({ reqId: id, err: error }, 'the response was cut off')
  }
}
