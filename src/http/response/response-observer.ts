import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ServerResponse } from 'node:http'
import { Http2ServerResponse } from 'node:http2'
import { withoutPatterns } from '../openapi/route.ts'

declare module 'node:http' {
  interface ServerResponse {
    contentBytes?: number
  }
}

export interface FinishedResponse {
  method: string
  route: string | undefined
  /** Undefined if the client disconnected before there was one. */
  status: number | undefined
  bytes: number
  ms: number
  /** Whether the client disconnected, or the body failed. */
  isCutOff: boolean
}

/** Calls `take` once, when the response was sent or the connection closed. */
export function observeResponse(
  request: FastifyRequest,
  reply: FastifyReply,
  take: (response: FinishedResponse) => void,
): void {
  const receivedAt = performance.now()
  const { raw } = reply
  let isOver = false
  const end = (isCutOff: boolean) => {
    if (isOver) return
    isOver = true
    take({
      method: request.method,
      route: request.routeOptions.url && withoutPatterns(request.routeOptions.url),
      status: raw.headersSent ? raw.statusCode : undefined,
      bytes: countBytes(request, reply),
      ms: performance.now() - receivedAt,
      isCutOff,
    })
  }
  raw.on('finish', () => {
    end(isAborted(raw))
  })
  raw.on('close', () => {
    end(true)
  })
  // The client may have disconnected while the body was read for an override.
  if (isGone(raw)) end(true)
}

function isGone(raw: ServerResponse): boolean {
  const response: object = raw
  return response instanceof Http2ServerResponse ? response.stream.destroyed : raw.destroyed
}

/** Over HTTP/2 Node emits `finish` for an aborted response too. */
function isAborted(response: object): boolean {
  if (!(response instanceof Http2ServerResponse)) return false
  const { stream } = response
  return stream.aborted || !stream.writableFinished
}

function countBytes(
  { method, raw: { receivedMethod } }: FastifyRequest,
  reply: FastifyReply,
): number {
  const { headersSent, statusCode, contentBytes } = reply.raw
  const isBare = method === 'HEAD' || receivedMethod === 'HEAD'
  if (!headersSent || isBare || statusCode === 204 || statusCode === 304) return 0
  return contentBytes ?? Number(reply.getHeader('content-length') ?? 0)
}

/** Counts the bytes of streams, which may have no length or end early. The last onSend hook. */
export function addStreamCounter(app: FastifyInstance): void {
  app.addHook('onSend', (_request, { raw }, payload, done) => {
    if (isStream(payload)) countWrites(raw)
    done(null, payload)
  })
}

function isStream(payload: unknown): boolean {
  return typeof payload === 'object' && payload !== null && !Buffer.isBuffer(payload)
}

function countWrites(raw: ServerResponse): void {
  const write = raw.write.bind(raw) as (chunk: string | Buffer, ...rest: unknown[]) => boolean
  raw.contentBytes = 0
  raw.write = (chunk: string | Buffer, ...rest: unknown[]) => {
    raw.contentBytes = (raw.contentBytes ?? 0) + Buffer.byteLength(chunk)
    return write(chunk, ...rest)
  }
}
