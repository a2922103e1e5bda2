import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Config } from '../../config/config.ts'
import { reportIgnoredBody } from '../body/body-reader.ts'
import { addDigestHeaders } from '../body/digest.ts'
import { isHttp2, isRawRequest } from '../request/target.ts'
import { withoutPatterns } from '../openapi/route.ts'
import { createCapture, type Recording } from '../recording.ts'
import { toPageBelow } from './base-path.ts'
import { compress } from './compress.ts'
import { addPending, assertMemoryLeft, maxAlwaysSentBytes, toHeldBytes } from './pending-bytes.ts'
import { revalidate } from './send.ts'
import { performance } from '../../timers.ts'

/** One hook for all steps, since each hook takes time. */
export function finishResponses(app: FastifyInstance, config: Config, isClosing: () => boolean) {
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, pathTemplate: withoutPatterns(route.url) }
    const { handler } = route
    route.handler = function (request, reply) {
      const { recording } = request.raw
      if (recording) recording.handlerBeginAt = performance.now()
      return handler.call(this, request, reply)
    }
  })
  app.decorate('finishResponse', (reply: FastifyReply, payload: unknown): unknown => {
    const { request } = reply
    const { recording } = request.raw
    if (recording) recording.handlerEndAt = performance.now()
    const isRaw = isRawRequest(request.raw)
    const below = isRaw ? payload : toPageBelow(reply, payload)
    const own = isRaw ? payload : describeResponse(request, reply, { payload: below, config })
    const framed = frameHead(request, reply, own)
    const held = toHeldBytes(framed)
    if (held > maxAlwaysSentBytes) assertMemoryLeft(held)
    const content = config.compression && !isRaw ? compress(request, reply, framed) : framed
    if (isHttp2(request.raw)) reply.removeHeader('connection').removeHeader('upgrade')
    // Node loses what is pipelined behind a request for an upgrade that it ignores (RFC 9110 §7.8).
    else if (isClosing() || request.raw.headers.upgrade !== undefined)
      reply.header('connection', 'close')
    // An encoder that is a stream holds the whole text until the client has read it.
    addPending(reply.raw, content === framed ? held : toHeldBytes(content) || held)
    if (content instanceof Readable) countWrites(reply.raw, recording)
    else if (recording) recordContent(recording, content)
    return request.raw.method === 'HEAD' ? dropContent(request, reply, content) : content
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    done(null, app.finishResponse(reply, payload))
  })
}

declare module 'fastify' {
  interface FastifyInstance {
    finishResponse: (reply: FastifyReply, payload: unknown) => unknown
  }
}

interface ResponseContent {
  payload: unknown
  config: Config
}

function describeResponse(
  request: FastifyRequest,
  reply: FastifyReply,
  { payload, config }: ResponseContent,
): unknown {
  addDigestHeaders(request, reply, payload)
  if (reply.statusCode < 400) reportIgnoredBody(request, reply, config)
  const content = revalidate(request, reply, payload)
  // A cache knows the method on the wire only, and no Vary names the parameter in a body.
  const isOfMethod = request.raw.receivedMethod !== undefined
  // Each response that begins a sandbox has another key.
  if (isOfMethod || request.raw.sandbox?.isNew) reply.header('cache-control', 'no-store')
  return content
}

function dropContent({ routeOptions }: FastifyRequest, reply: FastifyReply, content: unknown) {
  if (routeOptions.config.derivesHead !== true) return content
  if (content instanceof Readable) content.destroy()
  else reply.header('content-length', String(toHeldBytes(content)))
  return null
}

function frameHead({ raw }: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  const { method, receivedMethod = method } = raw
  const isNotModified = reply.statusCode === 304
  if (method !== 'HEAD' || (receivedMethod === 'HEAD' && !isNotModified)) return payload
  if (payload instanceof Readable) payload.destroy()
  // RFC 9110 §8.6: Fastify would set the length of anything but a stream.
  if (isNotModified) return Readable.from([])
  // The client of another method that became HEAD expects a framed body.
  reply.header('content-length', '0')
  return ''
}

function recordContent(recording: Recording, content: unknown): void {
  recording.firstByteAt = performance.now()
  if (typeof content === 'string' || Buffer.isBuffer(content)) recording.sent = content
}

export function countWrites(raw: ServerResponse, recording: Recording | undefined): void {
  const write = raw.write.bind(raw)
  const capture = recording && createCapture(recording.budget)
  if (recording) recording.sent = capture
  raw.contentBytes = 0
  raw.write = (chunk: string | Buffer, ...rest: unknown[]) => {
    raw.contentBytes = (raw.contentBytes ?? 0) + Buffer.byteLength(chunk)
    if (recording) recording.firstByteAt ||= performance.now()
    capture?.add(chunk)
    return Reflect.apply(write, undefined, [chunk, ...rest]) === true
  }
}
