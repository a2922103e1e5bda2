import { LogController, type FastifyBaseLogger, type FastifyRequest } from 'fastify'
import type { FinishedResponse } from '../http/response/response-observer.ts'
import { toPath } from '../http/request/target.ts'
import { parseTraceparent } from '../http/request/traceparent.ts'

/** The path without its query string: what people type into forms does not belong in a log. */
export function logResponse({ id, raw, server }: FastifyRequest, answer: FinishedResponse): void {
  const { wireMethod, url = '', headers } = raw
  const { method, route, status, ms, bytes, isCutOff } = answer
  const { traceparent } = headers
  const line = {
    reqId: id,
    method,
    wireMethod,
    path: toPath(url),
    route,
    status,
    ms: Math.round(ms * 1000) / 1000,
    bytes,
  }
  if (typeof traceparent === 'string') Object.assign(line, parseTraceparent(traceparent))
  if (isCutOff) Object.assign(line, { cutOff: true })
  server.log.info(line, 'answered')
}

/** Nothing of Fastify's own but why a stream broke when its head had been sent, which no client is told. */
export class ErrorLog extends LogController {
  readonly #log: FastifyBaseLogger

  constructor(log: FastifyBaseLogger) {
    super({ disableRequestLogging: true })
    this.#log = log
  }

  override streamError(error: Error & { code?: string }, { id }: FastifyRequest): void {
    // The client has left.
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return
    this.#log.warn({ reqId: id, err: error }, 'the answer broke off')
  }
}
