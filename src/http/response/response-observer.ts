import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServerResponse } from 'node:http'
import { Http2ServerResponse } from 'node:http2'
import { withoutPatterns } from '../openapi/route.ts'

declare module 'node:http' {
  interface ServerResponse {
    contentBytes?: number
  }
}

export type FinishedResponse = ReturnType<typeof toFinished>

export function observeResponse(
  request: FastifyRequest,
  reply: FastifyReply,
  take: (response: FinishedResponse) => void,
): void {
  const receivedAt = performance.now()
  const { raw } = reply
  const stream = findStream(raw)
  let isOver = false
  const end = (isCutOff: boolean) => {
    if (isOver) return
    isOver = true
    const ms = performance.now() - receivedAt
    take(toFinished(request, reply, { ms, isCutOff }))
  }
  raw.on('finish', () => {
    // Over HTTP/2 Node emits `finish` for an aborted response too.
    end(stream !== undefined && (stream.aborted || !stream.writableFinished))
  })
  raw.on('close', () => {
    end(true)
  })
  if (isClosed(raw)) end(true)
}

export function isClosed(raw: ServerResponse): boolean {
  return (findStream(raw) ?? raw).destroyed
}

function findStream(response: object) {
  return response instanceof Http2ServerResponse ? response.stream : undefined
}

function toFinished(
  { method, raw, routeOptions: { url } }: FastifyRequest,
  reply: FastifyReply,
  end: { ms: number; isCutOff: boolean },
) {
  const { headersSent, statusCode, contentBytes } = reply.raw
  const isBare = method === 'HEAD' || raw.receivedMethod === 'HEAD'
  const hasContent = headersSent && !isBare && statusCode !== 204 && statusCode !== 304
  const bytes = contentBytes ?? Number(reply.getHeader('content-length') ?? 0)
  return {
    method,
    route: url && withoutPatterns(url),
    status: headersSent ? statusCode : undefined,
    bytes: hasContent ? bytes : 0,
    ...end,
  }
}

export function countWrites(raw: ServerResponse): void {
  const write = raw.write.bind(raw)
  raw.contentBytes = 0
  raw.write = (chunk: string | Buffer, ...rest: unknown[]) => {
    raw.contentBytes = (raw.contentBytes ?? 0) + Buffer.byteLength(chunk)
    return Reflect.apply(write, undefined, [chunk, ...rest]) === true
  }
}
