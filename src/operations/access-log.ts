import { LogController, type FastifyRequest } from 'fastify'
import type { FinishedResponse } from '../http/response/response-observer.ts'
import { toPath } from '../http/request/target.ts'
import { parseTraceparent } from '../http/request/traceparent.ts'

/** Logs the path without its query string, which may contain personal data. */
export function logResponse({ id, raw, server }: FastifyRequest, response: FinishedResponse): void {
  const { receivedMethod, url = '', headers } = raw
  const { method, route, status, bytes, isCutOff } = response
  const { traceparent } = headers
  const path = toPath(url)
  const ms = Math.round(response.ms * 1000) / 1000
  const line = {
    ...{ reqId: id, method, receivedMethod, path, route, status, ms, bytes },
    ...(typeof traceparent === 'string' && parseTraceparent(traceparent)),
    ...(isCutOff && { cutOff: true }),
  }
  server.log.info(line, 'request completed')
}

export class ErrorLog extends LogController {
  override streamError(error: Error & { code?: string }, { id, server }: FastifyRequest): void {
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return
    server.log.warn({ reqId: id, err: error }, 'the response was cut off')
  }
}
