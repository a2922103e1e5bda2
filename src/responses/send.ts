import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import { isLoopback } from '../config/hosts.ts'
import { recordExtras } from '../http/recording.ts'
import { toOrigin } from '../http/request/request-head.ts'
import { findStream, isHttp2, isRawRequest } from '../http/request/target.ts'
import { isClosed } from '../http/response/observe-response.ts'
import { holdBytes } from '../http/response/pending-bytes.ts'
import { wait } from '../http/response/pacing.ts'
import { findPart } from '../http/response/send-bytes.ts'
import {
  applyVisitorHead,
  sendVisitorResponse,
  joinValues,
  keepNames,
} from '../http/response/send-visitor-response.ts'
import { ownCookies } from '../http/security/own-secrets.ts'
import {
  escapeBytes,
  toVisitorHeaders,
  type Pair,
  type VisitorLimits,
} from '../http/security/visitor-response.ts'
import { drawDelay, toMaxDelay } from './delay.ts'
import { findTimeProblems, toBody } from './description-limits.ts'
import type { Description } from './description.ts'
import { setTimeout } from '../timers.ts'
import { createFaultSender } from './fault-sender.ts'
import { encode, frame, isSentInChunks, isStreamed, toChunks } from './framing.ts'
import { badDescription } from './parse-description.ts'

export interface SendOptions {
  config: Config
  cookiePath: string
  /** The owner of the service describes it: its cookies can have a Domain here, and no cache stores it by default. */
  isStub?: boolean
  /** The contents of `file`. */
  file?: { bytes: Buffer; type: string } | undefined
}

export async function sendDescribed(
  reply: FastifyReply,
  description: Description,
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
  description: Description,
  { config, file }: Pick<SendOptions, 'config' | 'file'>,
) {
  const { fault, at } = description
  const { maxDurationSeconds } = config
  const delay = drawDelay(description.delay, maxDurationSeconds)
  const longest = Math.max(delay, toMaxDelay(description.delay))
  const { seconds = Math.max(0, Math.min(3, maxDurationSeconds - longest)) } = description
  const sendFault =
    fault &&
    createFaultSender(reply, fault, {
      config,
      seconds,
      at,
      isChunked: isSentInChunks(reply, description),
      toChunks: (bytes) => toChunks(reply, bytes, description),
    })
  const whole = await encode(toBody(description, file?.bytes), description)
  const problems = findTimeProblems(description, whole.length, config)
  if (problems.length > 0) throw badDescription(problems)
  const takesTime = delay > 0 || fault !== undefined || isStreamed(description)
  if (takesTime) holdBytes(reply.raw, whole.length)
  const own =
    file && description.type === undefined ? { ...description, type: file.type } : description
  return {
    description: own,
    delay,
    takesTime,
    sendFault,
    ...toRequested(reply.request, description, whole),
  }
}

export async function sendPrepared(
  reply: FastifyReply,
  { description, delay, sendFault, status, body, rangeFields, size }: Prepared,
  { config, cookiePath, isStub = false }: SendOptions,
): Promise<FastifyReply> {
  const { trailers, interim = [], early_hints: hints, reason, idle } = description
  const { request } = reply
  const { allowedRedirectDomains } = config
  const keepsDomain = isStub && isLoopback(config.host)
  const origin = toOrigin(request)
  const limits = { origin, allowedRedirectDomains, ownCookies, cookiePath, keepsDomain }
  // To send to a client that has left would be an error.
  if (isClosed(reply.raw)) return reply.hijack()
  for (const { status, headers } of interim)
    sendInterim(reply, status, fieldsToPairs(headers), limits)
  if (hints) sendInterim(reply, 103, fieldsToPairs(hints), limits)
  if (delay > 0 && !(await wait(reply, delay * 1000))) return reply.hijack()
  const described = toDescribedHeaders(description, size)
  const isCached = described.some(([name]) => name.toLowerCase() === 'cache-control')
  const caching: Pair[] = isStub && !isCached ? [['Cache-Control', 'no-store']] : []
  const headers = [...described, ...caching, ...rangeFields]
  const toName = keepNames(headers, (name) => name)
  const isRaw = isRawRequest(request.raw)
  const exposesHeaders = isRaw && request.headers.origin !== undefined
  const requested = request.headers['access-control-request-method'] ?? allMethods
  const preflightMethods = isRaw ? requested : undefined
  const hasReason = reason !== undefined && !isHttp2(request.raw)
  if (hasReason) reply.raw.statusMessage = reason
  const options = {
    limits,
    preflightMethods,
    exposesHeaders,
    toName,
    ...(hasReason && { toReason: () => reason }),
  }
  if (idle !== undefined) closeWhenIdle(reply, idle)
  if (sendFault) {
    applyVisitorHead(reply, { status, headers }, options)
    return sendFault(body)
  }
  const response = {
    status,
    headers,
    trailers: fieldsToPairs(trailers),
    ...frame(reply, description, body),
  }
  return sendVisitorResponse(reply, response, options)
}

/** The response to OPTIONS lists these if the request asks for no method. */
const allMethods = 'GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS'

function fieldsToPairs(fields: Description['headers'] = {}): Pair[] {
  return Object.entries(fields).flatMap(([name, values]) =>
    [values].flat().map((value): Pair => [name, value]),
  )
}

/** RFC 9110 §15.2: a client of HTTP/1.0 knows no 1xx. */
function sendInterim(
  reply: FastifyReply,
  status: number,
  pairs: readonly Pair[],
  limits: VisitorLimits,
): void {
  if (reply.request.raw.httpVersion === '1.0') return
  const sent = toVisitorHeaders(pairs, limits)
  delete sent['content-security-policy']
  const ofResponse = /^(content-.*|location|refresh|set-cookie)$/
  const left = Object.keys(sent).filter((name) => ofResponse.test(name))
  for (const name of left) Reflect.deleteProperty(sent, name)
  const dropped = [sent['vitrine-dropped-headers'] ?? [], left].flat()
  if (dropped.length > 0) sent['vitrine-dropped-headers'] = dropped.join(', ')
  joinValues(sent)
  reply.raw.writeInformation(status, sent)
  const earlyHints = Object.entries(sent).map(([name, value]) => [name, String(value)] as const)
  if (status === 103) recordExtras(reply.request.raw, { earlyHints })
}

/** Clients keep the connection, and may send the next request when it is closed. */
function closeWhenIdle({ raw }: FastifyReply, seconds: number): void {
  const { socket } = raw
  const session = findStream(raw)?.session
  raw.once('finish', () => {
    setTimeout(() => {
      const isUsed = socket && '_httpMessage' in socket && socket._httpMessage !== null
      if (session) session.close()
      else if (!isUsed) socket?.destroySoon()
    }, seconds * 1000).unref()
  })
}

/** All of the response, or the part that Range asks for. Throws 416. */
function toRequested(request: FastifyRequest, description: Description, whole: Buffer) {
  const { status = 200, ranges = false, headers } = description
  const { length: size } = whole
  const rangeFields: Pair[] = []
  if (!ranges || status !== 200) return { status, rangeFields, body: whole, size }
  const find = (name: string) =>
    fieldsToPairs(headers).find(([given]) => given.toLowerCase() === name)?.[1] ?? ''
  const validators = { etag: find('etag'), lastModified: new Date(find('last-modified')) }
  const { start, end, contentRange } = findPart(request, validators, size)
  rangeFields.push(['Accept-Ranges', 'bytes'])
  if (contentRange === undefined) return { status, rangeFields, body: whole, size }
  rangeFields.push(['Content-Range', contentRange])
  return { status: 206, rangeFields, body: whole.subarray(start, end + 1), size }
}

function toDescribedHeaders(description: Description, length: number): Pair[] {
  const { headers, header_base64: encoded, type, encoding, cookies = [] } = description
  const given = [
    ...fieldsToPairs(headers).map(([name, value]): Pair => [name, toFieldValue(name, value)]),
    ...fieldsToPairs(encoded).map(([name, value]): Pair => [
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

function findDefaultType({ base64, size, ...others }: Description): string {
  if ((base64 ?? size) !== undefined) return 'application/octet-stream'
  return 'json' in others ? 'application/json' : 'text/plain; charset=utf-8'
}
