import type { FastifyReply } from 'fastify'
import { Socket } from 'node:net'
import type { Config } from '../config/config.ts'
import { discardRest } from '../http/body/read-bytes.ts'
import { badRequest, HttpError, notImplemented } from '../http/errors/http-error.ts'
import { recordExtras } from '../http/recording.ts'
import { findStream } from '../http/request/target.ts'
import { countWrites } from '../http/response/finish-responses.ts'
import { isClosed } from '../http/response/observe-response.ts'
import { sendsContent, type SoundResponse } from './break-response.ts'
import { faults, type FaultName } from './faults.ts'

/**
 * Sends a body with the head of `reply`. Throws 403 if faults are disabled, and 400 or 501 if this
 * connection cannot have this one.
 */
export function createFaultSender(
  reply: FastifyReply,
  name: FaultName,
  {
    config,
    ...parts
  }: { config: Config } & Pick<SoundResponse, 'seconds' | 'isChunked' | 'toChunks' | 'at'>,
): (body: Buffer) => Promise<FastifyReply> {
  const { raw, request } = reply
  const { maxBodyBytes } = config
  const { isInBody = false } = faults[name]
  if (!config.responseFaults) {
    throw new HttpError('forbidden', 'Faults are disabled. Set RESPONSE_FAULTS=on to enable them.')
  }
  const send = findSender(reply, name)
  recordExtras(request.raw, { fault: name })
  return async (body) => {
    // To close a connection with unread bytes would reset it.
    await discardRest(request.raw, config)
    reply.hijack()
    if (isClosed(raw)) return reply
    copyHead(reply)
    countWrites(raw, request.raw.recording)
    if (isInBody && !sendsContent(reply)) raw.end()
    else await send({ reply, body, maxBodyBytes, ...parts })
    return reply
  }
}

function findSender({ request: { raw } }: FastifyReply, name: FaultName) {
  const { http1, http2 } = faults[name]
  const { socket } = raw
  const stream = findStream(raw)
  if (stream) {
    if (http2) return (response: SoundResponse) => http2(response, stream)
    throw badRequest(`HTTP/2 does not have the fault ${name}. Send the request over HTTP/1.1.`)
  }
  if (!http1) throw badRequest(`HTTP/1.1 does not have the fault ${name}. Use HTTP/2.`)
  if (socket instanceof Socket) return (response: SoundResponse) => http1(response, socket)
  throw notImplemented(`The fault ${name} requires a connection.`)
}

const framing = /^(connection|content-length|trailer|transfer-encoding)$/

function copyHead(reply: FastifyReply): void {
  const { raw, statusCode } = reply
  raw.statusCode = statusCode
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined && !framing.test(name)) raw.setHeader(name, value)
  }
}
