import type { FastifyReply, FastifyRequest } from 'fastify'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { performance } from 'node:perf_hooks'
import { maxRecordedBytes } from '../../config/limits.ts'
import type { Negotiation } from '../../http/negotiation/negotiate.ts'
import { type RecordedExtras, type Recording } from '../../http/recording.ts'
import { toClientAddress } from '../../http/request/client-address.ts'
import { toPairs, toTrailers } from '../../http/request/raw-request.ts'
import { toOrigin } from '../../http/request/request-head.ts'
import { findStream } from '../../http/request/target.ts'
import { withoutCodings } from '../../http/response/compress.ts'
import type { FinishedResponse } from '../../http/response/observe-response.ts'
import type { ComparedPreconditions } from '../../exchanges/exchange.ts'
import type { RecordedBytes } from '../../exchanges/to-body.ts'
import { maskRequestTarget } from './mask-body.ts'
import { maskTarget } from './mask.ts'
import type { SlabEntry, StoredEntry } from './slabs.ts'

/** No text of a message has this character (RFC 9110 §5.5). */
const separator = '\0'

export type Recorded = ReturnType<typeof toRecorded>

declare module 'node:http' {
  interface ServerResponse {
    /** Node keeps the head here as it was sent over HTTP/1.1. */
    readonly _header?: string | null
  }
}

export function toEntry(
  request: FastifyRequest,
  reply: FastifyReply,
  { recording, response, owner = '' }: Ended,
): SlabEntry {
  const { raw } = request
  const received = recording.received?.finish()
  const sent = takeSent(recording.sent, response.bytes)
  const id = toExchangeId(request)
  const requestId = findChosenId(raw) ?? request.id
  const head = toSentHead(reply.raw)
  const masked = maskRequestTarget(request.originalUrl)
  const texts = [
    id,
    requestId === id ? '' : requestId,
    owner,
    raw.receivedMethod ?? '',
    request.method,
    request.originalUrl,
    raw.httpVersion,
    toClientAddress(request),
    toOrigin(request),
    recording.connection.text,
    request.server.demoName ?? '',
    response.route ?? '',
    toRare(request, reply.getHeader('etag')),
    // Masked once: lists and searches have up to a thousand.
    masked === request.originalUrl ? '' : masked,
    isRedirect(response.status) ? maskTarget(findLocation(head)) : '',
    head,
    raw.rawHeaders.join(separator),
  ]
  const numbers = toNumbers(recording, response, [received?.size ?? none, sent?.size ?? none])
  const bodies = [received?.bytes ?? '', sent?.bytes ?? '']
  return { numbers, text: texts.join(separator), bodies }
}

function toNumbers(recording: Recording, response: FinishedResponse, sizes: readonly number[]) {
  return [
    response.status ?? 0,
    recording.headAt,
    recording.bodyAt,
    recording.handlerBeginAt,
    recording.handlerEndAt,
    recording.firstByteAt,
    response.endedAt,
    ...sizes,
    recording.requestsBefore,
    Number(response.isCutOff),
    Number(recording.isRateLimited),
  ]
}

const findLocation = (head: string) => /\r\nlocation: ([^\r\n]*)/i.exec(head)?.[1] ?? ''

const isRedirect = (status = 0) => status >= 300 && status < 400

interface Ended {
  recording: Recording
  response: FinishedResponse
  owner: string | undefined
}

/** Returns the lines as they were sent, and an empty text before that. */
function toSentHead(raw: ServerResponse): string {
  const fields = findStream(raw)?.sentHeaders
  if (!fields) return raw._header ?? ''
  const { ':status': status, ...others } = fields
  const lines = Object.entries(others).flatMap(([name, value]) =>
    [value].flat().map((one) => `${name}: ${String(one)}`),
  )
  return [`HTTP/2.0 ${String(status)} `, ...lines].join(lineEnd)
}

const lineEnd = '\r\n'
const none = -1

export interface Rare extends RecordedExtras {
  negotiation?: Negotiation | undefined
  preconditions?: ComparedPreconditions | undefined
}

function toRare({ raw, negotiation }: FastifyRequest, sentTag: unknown): string {
  const { comparison, recording: { extras } = {} } = raw
  const requestTrailers = toTrailers(raw)
  const isRare = requestTrailers.length > 0
  if (!isRare && (negotiation ?? comparison ?? extras) === undefined) return ''
  const preconditions = comparison && {
    ...comparison,
    // The content coding is chosen after the comparison, with a tag of its own.
    etags: comparison.etags.map((tag) =>
      withoutCodings(String(sentTag)) === tag ? String(sentTag) : tag,
    ),
    lastModified: comparison.lastModified?.toUTCString(),
  }
  const trailers = isRare && { requestTrailers }
  return JSON.stringify({ negotiation, preconditions, ...extras, ...trailers } satisfies Rare)
}

function takeSent(sent: Recording['sent'], size: number) {
  if (typeof sent === 'object' && 'finish' in sent) return sent.finish()
  // Nothing is sent for HEAD, 204 and 304.
  if (size === 0 || sent === undefined) return undefined
  return { bytes: sent.length > maxRecordedBytes ? sent.slice(0, maxRecordedBytes) : sent, size }
}

export function toRecorded({ numbers, text, bodies }: StoredEntry) {
  const texts = text.split(separator)
  const [id = '', otherId, owner, receivedMethod, effectiveMethod = '', target = ''] = texts
  const [httpVersion = '', client = '', origin = '', connectionId = ''] = texts.slice(6)
  const [remoteAddress = '', tls, demo, route, rare, masked, location] = texts.slice(10)
  const [head = '', ...rawHeaders] = texts.slice(17)
  const [status, headAt = 0] = numbers
  const [receivedSize, sentSize, requestsBefore = 0, isCutOff, isRateLimited] = numbers.slice(7)
  const [statusLine = '', ...lines] = head.trimEnd().split(lineEnd)
  return {
    id,
    requestId: otherId || id,
    owner: owner || undefined,
    method: receivedMethod || effectiveMethod,
    effectiveMethod,
    target,
    httpVersion,
    client,
    maskedTarget: masked || target,
    maskedLocation: location || undefined,
    origin,
    connection: { id: connectionId, requestsBefore, remoteAddress },
    tls: tls || undefined,
    demo: demo || undefined,
    route: route || undefined,
    // `toRare` wrote it, in the memory of this process.
    rare: rare ? (JSON.parse(rare) as Rare) : {},
    requestFields: toPairs(rawHeaders),
    statusLine,
    responseFields: lines.map(toField),
    status: status || undefined,
    receivedAt: timeOrigin + headAt,
    times: toTimes(numbers),
    received: toBytes(bodies[0], receivedSize),
    sent: toBytes(bodies[1], sentSize),
    isCutOff: isCutOff === 1,
    isRateLimited: isRateLimited === 1,
  }
}

/** Returns milliseconds since the head of the request was received. */
function toTimes([, headAt = 0, ...others]: StoredEntry['numbers']) {
  const toMs = (at = 0) => (at === 0 ? undefined : Math.round((at - headAt) * 1000) / 1000)
  const [body, handlerBegin, handlerEnd, firstByte, end] = others.slice(0, 5).map(toMs)
  return { body, handlerBegin, handlerEnd, firstByte, end: end ?? 0 }
}

const { timeOrigin } = performance

const headAtIndex = 1

/** When it was received, in milliseconds since 1970, without reading the rest. */
export const readReceivedAt = (readNumber: (index: number) => number) =>
  timeOrigin + readNumber(headAtIndex)

function toField(line: string): readonly [name: string, value: string] {
  const [name = ''] = line.split(':', 1)
  return [name, line.slice(name.length + 2)]
}

function toBytes(bytes: Buffer | undefined, size = none): RecordedBytes | undefined {
  return bytes === undefined || size === none ? undefined : { bytes, size }
}

/** The request id is not used if the client chose it: others may guess it. */
export const toExchangeId = ({ id, raw }: FastifyRequest): string => raw.ownId ?? id

/** A page finds the exchanges of a chain of redirects by this id. */
function findChosenId({ parsedBody, headers }: IncomingMessage): string | undefined {
  return toRandomId(parsedBody?.formHeaders?._request_id) ?? toRandomId(headers['x-request-id'])
}

const hex = '[0-9A-Fa-f]'
export const randomUuidPattern = `^${hex}{8}-${hex}{4}-4${hex}{3}-[89ABab]${hex}{3}-${hex}{12}$`
const randomUuid = new RegExp(randomUuidPattern)

/** Others could guess the id of a client that does not choose it at random. */
export function toRandomId(value: unknown): string | undefined {
  return typeof value === 'string' && randomUuid.test(value) ? value : undefined
}
