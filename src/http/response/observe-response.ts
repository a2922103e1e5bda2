import type { FastifyReply } from 'fastify'
import type { ServerResponse } from 'node:http'
import { findStream } from '../request/target.ts'
import { performance } from '../../timers.ts'
import { isWithoutContent } from './without-content.ts'

declare module 'node:http' {
  interface IncomingMessage {
    pathTemplate?: string
  }
  interface ServerResponse {
    contentBytes?: number
    failure?: string
    /** Set if the client ended its half of the connection during a requested delay. */
    isAbandoned?: boolean
    observed?: Observed | undefined
    /** Set if a WebSocket was closed with a Close frame. */
    isConcluded?: boolean
  }
}

export type FinishedResponse = ReturnType<typeof toFinished>

type TakeResponse = (reply: FastifyReply, response: FinishedResponse) => void

/** One object for each response: closures take more time and memory. */
interface Observed {
  reply: FastifyReply
  receivedAt: number
  take: TakeResponse
}

export function observeResponse(reply: FastifyReply, take: TakeResponse): void {
  const { raw } = reply
  if (raw.observed !== undefined) {
    const { take: takeFirst } = raw.observed
    raw.observed.take = (...all) => {
      takeFirst(...all)
      take(...all)
    }
    return
  }
  raw.observed = { reply, receivedAt: performance.now(), take }
  raw.on('finish', endFinished).on('close', endClosed)
  if (isClosed(raw)) endResponse(raw, true)
}

function endFinished(this: ServerResponse): void {
  const stream = findStream(this)
  // Over HTTP/2 Node emits `finish` for an aborted response too.
  endResponse(this, stream !== undefined && (stream.aborted || !stream.writableFinished))
}

function endClosed(this: ServerResponse): void {
  endResponse(this, true)
}

function endResponse(raw: ServerResponse, isCutOff: boolean): void {
  const { observed } = raw
  if (observed === undefined) return
  raw.observed = undefined
  observed.take(observed.reply, toFinished(observed, isCutOff))
}

export const isClosed = (raw: ServerResponse): boolean => (findStream(raw) ?? raw).destroyed

function toFinished({ reply, receivedAt }: Observed, isCutOff: boolean) {
  const { request } = reply
  const { method, raw } = request
  // Each access to `routeOptions` creates an object.
  const { config } = request.routeOptions
  const { headersSent, statusCode, contentBytes, failure, isAbandoned = false } = reply.raw
  const isUpgraded = statusCode === 101
  const isHead = method === 'HEAD' || raw.receivedMethod === 'HEAD'
  const hasContent = headersSent && !isHead && !isWithoutContent(statusCode)
  const length = Number(reply.getHeader('content-length') ?? 0)
  const bytes = contentBytes ?? length
  // Node does not check Content-Length. Two values give NaN, and nothing is less than NaN.
  const isShort = hasContent && bytes < length
  const endedAt = performance.now()
  return {
    method,
    endedAt,
    ms: endedAt - receivedAt,
    isCutOff: (isCutOff && reply.raw.isConcluded !== true) || isAbandoned || isShort,
    route: raw.pathTemplate ?? config.pathTemplate,
    status: headersSent || isUpgraded ? statusCode : undefined,
    bytes: hasContent ? bytes : 0,
    failure,
  }
}
