import type { FastifyReply, FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import { performance } from 'node:perf_hooks'
import type { Negotiation } from '../http/negotiation/negotiate.ts'
import { maxRecordedBytes, type Recording } from '../http/recording.ts'
import { toPairs } from '../http/request/raw-request.ts'
import { toOrigin } from '../http/request/request-head.ts'
import { defaultHeaders } from '../http/response/default-headers.ts'
import type { FinishedResponse } from '../http/response/finish-responses.ts'
import { findComparison } from '../http/response/preconditions.ts'
import type { ComparedPreconditions } from './exchange.ts'
import type { Entry, StoredEntry } from './slabs.ts'

/** In no text of a message (RFC 9110 §5.5). */
const separator = '\0'

/** What an exchange was, with its secrets. */
export type Recorded = ReturnType<typeof toRecorded>

export interface RecordedBytes {
  /** The first 64 KiB. */
  bytes: Buffer
  /** Of the whole body. */
  size: number
}

/** `owner`: see `toOwner`. */
export function toEntry(
  request: FastifyRequest,
  reply: FastifyReply,
  { recording, response, headers, owner = '' }: Ended,
): Entry {
  const { raw, method, negotiation, protocol, host } = request
  const { rawHeaders } = raw
  const { connection, headAt } = recording
  const received = recording.received?.finish()
  const sent = takeSent(recording.sent, response.bytes)
  const id = toExchangeId(request)
  const requestId = toRandomId(raw.parsedBody?.formHeaders?._request_id) ?? request.id
  const texts = [id, requestId === id ? '' : requestId, owner, raw.receivedMethod ?? '', method]
  texts.push(request.originalUrl, raw.httpVersion, request.ip, protocol, host, connection.text)
  texts.push(request.server.demoName ?? '', response.route ?? '', reply.raw.statusMessage)
  texts.push(negotiation ? JSON.stringify(negotiation) : '', toComparison(raw))
  for (const text of rawHeaders) texts.push(text)
  const defaults = addFields(texts, headers, recording.toSentName)
  const numbers = [
    response.status ?? 0,
    timeOrigin + headAt,
    toMs(recording.bodyAt, headAt),
    toMs(recording.handlerBeginAt, headAt),
    toMs(recording.handlerEndAt, headAt),
    toMs(recording.firstByteAt, headAt),
    response.endedAt - headAt,
    received?.size ?? none,
    sent?.size ?? none,
    recording.requestsBefore,
    reply.raw.shouldKeepAlive ? request.server.server.keepAliveTimeout : 0,
    Number(response.isCutOff),
    Number(recording.isRateLimited),
    rawHeaders.length,
    defaults,
  ]
  const bodies = [received?.bytes ?? '', sent?.bytes ?? '']
  return { numbers, text: texts.join(separator), bodies }
}

interface Ended {
  recording: Recording
  response: FinishedResponse
  headers: SentHeaders
  owner: string | undefined
}

type SentHeaders = ReturnType<FastifyReply['getHeaders']>

const { timeOrigin } = performance

/** Most responses begin with these, which are too long to be written each time. */
const commonFields = Object.entries(defaultHeaders)

/** Returns the number of common fields at the start, which are left out. */
function addFields(
  texts: string[],
  headers: SentHeaders,
  toSentName?: (name: string) => string,
): number {
  let common = 0
  let isStart = toSentName === undefined
  for (const name in headers) {
    const value = headers[name]
    isStart &&= value === commonFields[common]?.[1]
    if (isStart) common += 1
    else if (Array.isArray(value))
      for (const one of value) texts.push(toSentName?.(name) ?? name, one)
    else texts.push(toSentName?.(name) ?? name, String(value))
  }
  return common
}

const none = -1

const toMs = (at: number, from: number) => (at === 0 ? none : at - from)

function toComparison({ headers }: IncomingMessage): string {
  const comparison = findComparison(headers)
  if (comparison === undefined) return ''
  return JSON.stringify({ ...comparison, lastModified: comparison.lastModified?.toUTCString() })
}

function takeSent(sent: Recording['sent'], size: number) {
  if (typeof sent === 'object' && 'finish' in sent) return sent.finish()
  // Nothing is sent for HEAD, 204 and 304.
  if (size === 0 || sent === undefined) return undefined
  return { bytes: sent.length > maxRecordedBytes ? sent.slice(0, maxRecordedBytes) : sent, size }
}

/** Only the first texts and numbers. */
export function toRecorded({ numbers, text, bodies }: StoredEntry) {
  const texts = text.split(separator)
  const [id = '', otherId, owner, receivedMethod, effectiveMethod = '', target = ''] = texts
  const [httpVersion = '', client = '', protocol = '', host = '', connectionId = ''] =
    texts.slice(6)
  const [remoteAddress = '', tls, demo, route, statusText = '', negotiation, comparison] =
    texts.slice(11)
  const [status, receivedAt = 0, body, handlerBegin, handlerEnd, firstByte, end = 0] = numbers
  const [receivedSize, sentSize, requestsBefore = 0, keepAliveMs = 0, isCutOff, isRateLimited] =
    numbers.slice(7)
  const headersAt = 18
  const [countReceived = 0, countCommon] = numbers.slice(13)
  const sentAt = headersAt + countReceived
  return {
    ...{ id, requestId: otherId || id, owner: owner || undefined },
    ...{ method: receivedMethod || effectiveMethod, effectiveMethod, target, httpVersion, client },
    origin: toOrigin({ protocol, host }),
    connection: { id: connectionId, requestsBefore, remoteAddress },
    ...{ tls: tls || undefined, demo: demo || undefined, route: route || undefined },
    negotiation: negotiation ? (JSON.parse(negotiation) as Negotiation) : undefined,
    preconditions: comparison ? (JSON.parse(comparison) as ComparedPreconditions) : undefined,
    requestFields: toPairs(texts.slice(headersAt, sentAt)),
    responseFields: [...commonFields.slice(0, countCommon), ...toPairs(texts.slice(sentAt))],
    status: status || undefined,
    statusText,
    receivedAt,
    times: { ...toTimes({ body, handlerBegin, handlerEnd, firstByte }), end: round(end) },
    received: toBytes(bodies[0], receivedSize),
    sent: toBytes(bodies[1], sentSize),
    keepAliveMs,
    isCutOff: isCutOff === 1,
    isRateLimited: isRateLimited === 1,
  }
}

function toTimes<Name extends string>(times: Readonly<Record<Name, number | undefined>>) {
  const known = Object.entries<number | undefined>(times).filter(([, ms = none]) => ms !== none)
  return Object.fromEntries(known.map(([name, ms = none]) => [name, round(ms)])) as Partial<
    Record<Name, number>
  >
}

const round = (ms: number) => Math.round(ms * 1000) / 1000

function toBytes(bytes: Buffer | undefined, size = none): RecordedBytes | undefined {
  return bytes === undefined || size === none ? undefined : { bytes, size }
}

/** Not the request id if the client chose it: others may guess it. */
export function toExchangeId({ id, raw }: FastifyRequest): string {
  return raw.ownId ?? id
}

const randomUuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i

/** Others could guess the id of a client that does not choose it at random. */
export function toRandomId(value: unknown): string | undefined {
  return typeof value === 'string' && randomUuid.test(value) ? value : undefined
}
