import { LogController, type FastifyRequest } from 'fastify'
import { hostname } from 'node:os'
import type { FinishedResponse } from '../http/response/finish-responses.ts'
import { toPath } from '../http/request/target.ts'
import { parseTraceparent } from '../http/request/traceparent.ts'

const ofProcess = `${member('pid', process.pid)}${member('hostname', hostname())}`

/**
 * In pino's format, by hand because pino takes three times as long. The path has no query string,
 * which may contain personal data.
 */
export function toLogLine({ id, raw }: FastifyRequest, response: FinishedResponse): string {
  const { receivedMethod, url = '', headers } = raw
  const { method, route, status, ms, bytes, isCutOff } = response
  const { traceparent } = headers
  const trace = typeof traceparent === 'string' ? parseTraceparent(traceparent) : undefined
  return [
    `{"level":30,"time":${String(Date.now())}${ofProcess}`,
    member('reqId', id),
    member('method', method),
    member('receivedMethod', receivedMethod),
    member('path', toPath(url)),
    member('route', route),
    member('status', status),
    member('ms', Math.round(ms * 1000) / 1000),
    member('bytes', bytes),
    member('traceId', trace?.traceId),
    member('parentId', trace?.parentId),
    member('cutOff', isCutOff || undefined),
    ',"msg":"request completed"}\n',
  ].join('')
}

function member(name: string, value: string | number | true | undefined): string {
  return value === undefined ? '' : `,"${name}":${JSON.stringify(value)}`
}

export class ErrorLog extends LogController {
  override streamError(error: Error & { code?: string }, { id, server }: FastifyRequest): void {
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return
    server.log.warn({ reqId: id, err: error }, 'the response was cut off')
  }
}
