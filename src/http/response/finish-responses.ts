import type { FastifyInstance } from 'fastify'
import type { ServerResponse } from 'node:http'
import { tooManyPendingBytes } from '../errors/http-error.ts'
import { closeConnectionsOnShutdown, frameHead, isHttp2 } from './framing.ts'
import { countWrites } from './response-observer.ts'
import { revalidate } from './send-tagged.ts'

/** In one hook, since each hook takes time. */
export function finishResponses(app: FastifyInstance): void {
  const isClosing = closeConnectionsOnShutdown(app)
  app.addHook('onSend', (request, reply, payload, done) => {
    const content = frameHead(request, reply, revalidate(request, reply, payload))
    if (isHttp2(request.raw)) reply.removeHeader('connection').removeHeader('upgrade')
    // Node loses what is pipelined behind a request for an upgrade that it ignores (RFC 9110 §7.8).
    else if (isClosing() || request.raw.headers.upgrade !== undefined)
      reply.header('connection', 'close')
    if (typeof content === 'string' || Buffer.isBuffer(content))
      addPending(reply.raw, content.length)
    else if (typeof content === 'object' && content !== null) countWrites(reply.raw)
    done(null, content)
  })
}

const maxPendingBytes = 256 * 1024 * 1024
const smallBytes = 4096
/** An error instead of a shorter response would hide what a write did. */
const maxAlwaysSentBytes = 64 * 1024

let pendingBytes = 0

/** Responses that clients do not read would fill the memory. */
export function assertMemoryLeft(bytes = 0): void {
  if (pendingBytes + bytes > maxPendingBytes) throw tooManyPendingBytes()
}

function addPending(raw: ServerResponse, bytes: number): void {
  if (bytes > maxAlwaysSentBytes) assertMemoryLeft(bytes)
  if (bytes <= smallBytes) return
  pendingBytes += bytes
  raw.once('close', () => {
    pendingBytes -= bytes
  })
}
