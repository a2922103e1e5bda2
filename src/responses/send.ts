import type { FastifyReply, FastifyRequest } from 'fastify'
import { promisify } from 'node:util'
import { brotliCompress, constants, deflate, gzip, zstdCompress } from 'node:zlib'
import type { Config } from '../config/config.ts'
import { recordExtras } from '../http/recording.ts'
import { toOrigin } from '../http/request/request-head.ts'
import { findStream, isRawRequest } from '../http/request/target.ts'
import { holdBytes, isClosed } from '../http/response/finish-responses.ts'
import { pace, wait } from '../http/response/pacing.ts'
import { findPart } from '../http/response/send-bytes.ts'
import { isWithoutBody } from '../http/response/send.ts'
import {
  applyVisitorHead,
  sendVisitorResponse,
  joinValues,
  keepNames,
  type VisitorResponse,
} from '../http/response/send-visitor-response.ts'
import { ownCookies } from '../http/security/own-secrets.ts'
import {
  escapeBytes,
  toVisitorHeaders,
  type Pair,
  type VisitorLimits,
} from '../http/security/visitor-response.ts'
import { findTimeProblems, toBody } from './description-limits.ts'
import type { ResponseDescription } from './description.ts'
import { createFaultSender } from './fault-sender.ts'
import { invalidDescription } from './parse-description.ts'
import { nextTurn } from '../timers.ts'

export interface SendOptions {
  config: Config
  cookiePath: string
}

export async function sendDescribed(
  reply: FastifyReply,
  description: ResponseDescription,
  options: SendOptions,
): Promise<FastifyReply> {
  return sendPrepared(reply, await prepareDescribed(reply, description, options), options)
}

export type Prepared = Awaited<ReturnType<typeof prepareDescribed>>

/**
 * What can be known before the delay. Throws 416, 400 if an encoding makes the response too slow, and
 * the errors of `createFaultSender`.
 */
export async function prepareDescribed(
  reply: FastifyReply,
  description: ResponseDescription,
  { config }: Pick<SendOptions, 'config'>,
) {
  const { delay = 0, fault } = description
  const { seconds = Math.min(3, config.maxDurationSeconds - delay) } = description
  const sendFault =
    fault &&
    createFaultSender(reply, fault, {
      ...{ config, seconds, isChunked: isSentInChunks(reply, description) },
      toChunks: (bytes) => toChunks(reply, bytes, description),
    })
  const whole = await encode(toBody(description), description)
  const problems = findTimeProblems(description, whole.length, config)
  if (problems.length > 0) throw invalidDescription(problems)
  const takesTime = delay > 0 || fault !== undefined || isStreamed(description)
  if (takesTime) holdBytes(reply.raw, whole.length)
  return { description, takesTime, sendFault, ...toRequested(reply.request, description, whole) }
}

export async function sendPrepared(
  reply: FastifyReply,
  { description, sendFault, status, body, rangeFields, size }: Prepared,
  { config, cookiePath }: SendOptions,
): Promise<FastifyReply> {
  const { delay = 0, trailers } = description
  const { request } = reply
  const { allowedRedirectDomains } = config
  const limits = { origin: toOrigin(request), allowedRedirectDomains, ownCookies, cookiePath }
  // To send to a client that has left would be an error.
  if (isClosed(reply.raw)) return reply.hijack()
  sendEarlyHints(reply, toPairs(description.early_hints), limits)
  if (delay > 0 && !(await wait(reply, delay * 1000))) return reply.hijack()
  const headers = [...toDescribedHeaders(description, size), ...rangeFields]
  const toName = keepNames(headers, (name) => name)
  const isRaw = isRawRequest(request.raw)
  const exposesHeaders = isRaw && request.headers.origin !== undefined
  const requested = request.headers['access-control-request-method'] ?? allMethods
  const preflightMethods = isRaw ? requested : undefined
  const options = { limits, preflightMethods, exposesHeaders, toName }
  if (sendFault) {
    applyVisitorHead(reply, { status, headers }, options)
    return sendFault(body)
  }
  const response = {
    status,
    headers,
    trailers: toPairs(trailers),
    ...frame(reply, description, body),
  }
  return sendVisitorResponse(reply, response, options)
}

/** The response to OPTIONS lists these if the request asks for no method. */
const allMethods = 'GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS'

const encoders = {
  gzip: promisify(gzip),
  deflate: promisify(deflate),
  zstd: promisify(zstdCompress),
  // The highest quality, which is the default, would take seconds.
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
}

async function encode(bytes: Buffer, { encoding }: ResponseDescription): Promise<Buffer> {
  return encoding === undefined || bytes.length === 0 ? bytes : encoders[encoding](bytes)
}

function toPairs(fields: ResponseDescription['headers'] = {}): Pair[] {
  return Object.entries(fields).flatMap(([name, values]) =>
    [values].flat().map((value): Pair => [name, value]),
  )
}

/** RFC 9110 §15.2: a client of HTTP/1.0 knows no 1xx. */
function sendEarlyHints(reply: FastifyReply, pairs: readonly Pair[], limits: VisitorLimits): void {
  if (pairs.length === 0 || reply.request.raw.httpVersion === '1.0') return
  const sent = toVisitorHeaders(pairs, limits)
  delete sent['content-security-policy']
  const ofResponse = /^(content-.*|location|refresh|set-cookie)$/
  const left = Object.keys(sent).filter((name) => ofResponse.test(name))
  for (const name of left) Reflect.deleteProperty(sent, name)
  const dropped = [sent['vitrine-dropped-headers'] ?? [], left].flat()
  if (dropped.length > 0) sent['vitrine-dropped-headers'] = dropped.join(', ')
  joinValues(sent)
  reply.raw.writeInformation(103, sent)
  const earlyHints = Object.entries(sent).map(([name, value]) => [name, String(value)] as const)
  recordExtras(reply.request.raw, { earlyHints })
}

/** All of the response, or the part that Range asks for. Throws 416. */
function toRequested(request: FastifyRequest, description: ResponseDescription, whole: Buffer) {
  const { status = 200, ranges = false, headers } = description
  const { length: size } = whole
  const rangeFields: Pair[] = []
  if (!ranges || status !== 200) return { status, rangeFields, body: whole, size }
  const find = (name: string) =>
    toPairs(headers).find(([given]) => given.toLowerCase() === name)?.[1] ?? ''
  const validators = { etag: find('etag'), lastModified: new Date(find('last-modified')) }
  const { start, end, contentRange } = findPart(request, validators, size)
  rangeFields.push(['Accept-Ranges', 'bytes'])
  if (contentRange === undefined) return { status, rangeFields, body: whole, size }
  rangeFields.push(['Content-Range', contentRange])
  return { status: 206, rangeFields, body: whole.subarray(start, end + 1), size }
}

function toDescribedHeaders(description: ResponseDescription, length: number): Pair[] {
  const { headers, header_base64: encoded, type, encoding, cookies = [] } = description
  const given = [
    ...toPairs(headers).map(([name, value]): Pair => [name, toFieldValue(name, value)]),
    ...toPairs(encoded).map(([name, value]): Pair => [
      name,
      escapeBytes(Buffer.from(value, 'base64')),
    ]),
  ]
  const isTyped = given.some(([name]) => name.toLowerCase() === 'content-type')
  const ownType = type ?? (isTyped || length === 0 ? undefined : findDefaultType(description))
  return [
    ...given,
    ...(ownType === undefined ? [] : [['Content-Type', ownType] as const]),
    ...(encoding === undefined || length === 0 ? [] : [['Content-Encoding', encoding] as const]),
    ...cookies.map((cookie): Pair => ['Set-Cookie', cookie]),
  ]
}

/** `Retry-After: date:3` becomes the date in three seconds, which a description cannot know. */
function toFieldValue(name: string, value: string): string {
  const [, seconds] = /^date:(\d{1,5})$/.exec(value) ?? []
  if (seconds === undefined || name.toLowerCase() !== 'retry-after') return value
  return new Date(Date.now() + Number(seconds) * 1000).toUTCString()
}

function findDefaultType({ base64, ...others }: ResponseDescription): string {
  if (base64 !== undefined) return 'application/octet-stream'
  return 'json' in others ? 'application/json' : 'text/plain; charset=utf-8'
}

function toFraming({ framing, chunk_size: size, trailers }: ResponseDescription) {
  return framing ?? (size === undefined && trailers === undefined ? 'length' : 'chunked')
}

const isSentInChunks = ({ request }: FastifyReply, description: ResponseDescription) =>
  toFraming(description) === 'chunked' && request.raw.httpVersion === '1.1'

const isStreamed = (description: ResponseDescription) =>
  toFraming(description) !== 'length' || description.chunk_size !== undefined

/** HTTP/2 has no framing to choose. */
function frame(
  reply: FastifyReply,
  description: ResponseDescription,
  bytes: Buffer,
): Pick<VisitorResponse, 'body' | 'size'> {
  const { status, close } = description
  const { length } = bytes
  const used = toFraming(description)
  if (close || used === 'close') closeConnection(reply)
  if (isWithoutBody(status) || !isStreamed(description)) return { body: bytes }
  // Node frames an empty body by its length if it is not told otherwise.
  if (used === 'close') {
    reply.raw.useChunkedEncodingByDefault = false
    reply.raw.removeHeader('content-length')
  } else if (isSentInChunks(reply, description)) {
    reply.header('transfer-encoding', 'chunked')
  }
  const body = toChunks(reply, bytes, description)
  return { body, ...(used === 'length' && { size: length }) }
}

async function* toChunks(
  reply: FastifyReply,
  bytes: Buffer,
  { chunk_size: size = Math.max(bytes.length, 1), pause = 0 }: ResponseDescription,
) {
  const count = Math.ceil(bytes.length / size)
  for await (const { start, end } of pace(reply, { count, pauseMs: pause * 1000 })) {
    for (let index = start; index < end; index += 1) {
      yield bytes.subarray(index * size, (index + 1) * size)
      // Node makes one chunk of all writes in a turn.
      await nextTurn()
    }
  }
}

function closeConnection(reply: FastifyReply): void {
  const stream = findStream(reply.raw)
  if (stream) stream.session?.close()
  else reply.header('connection', 'close')
}
