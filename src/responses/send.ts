import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import { isLoopback } from '../config/hosts.ts'
import { recordExtras } from '../http/recording.ts'
import { toOrigin } from '../http/request/request-head.ts'
import { isRawRequest } from '../http/request/target.ts'
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
import { findTimeProblems, toBody } from './description-limits.ts'
import type { Description } from './description.ts'
import { createFaultSender } from './fault-sender.ts'
import { encode, frame, isSentInChunks, isStreamed, toChunks } from './framing.ts'
import { badDescription } from './parse-description.ts'

export interface SendOptions {
  config: Config
  cookiePath: string
  /** The owner of the service describes it: its cookies can have a Domain here, and no cache stores it by default. */
  isStub?: boolean
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
  { config }: Pick<SendOptions, 'config'>,
) {
  const { delay = 0, fault } = description
  const { seconds = Math.min(3, config.maxDurationSeconds - delay) } = description
  const sendFault =
    fault &&
    createFaultSender(reply, fault, {
      config,
      seconds,
      isChunked: isSentInChunks(reply, description),
      toChunks: (bytes) => toChunks(reply, bytes, description),
    })
  const whole = await encode(toBody(description), description)
  const problems = findTimeProblems(description, whole.length, config)
  if (problems.length > 0) throw badDescription(problems)
  const takesTime = delay > 0 || fault !== undefined || isStreamed(description)
  if (takesTime) holdBytes(reply.raw, whole.length)
  return { description, takesTime, sendFault, ...toRequested(reply.request, description, whole) }
}

export async function sendPrepared(
  reply: FastifyReply,
  { description, sendFault, status, body, rangeFields, size }: Prepared,
  { config, cookiePath, isStub = false }: SendOptions,
): Promise<FastifyReply> {
  const { delay = 0, trailers } = description
  const { request } = reply
  const { allowedRedirectDomains } = config
  const keepsDomain = isStub && isLoopback(config.host)
  const origin = toOrigin(request)
  const limits = { origin, allowedRedirectDomains, ownCookies, cookiePath, keepsDomain }
  // To send to a client that has left would be an error.
  if (isClosed(reply.raw)) return reply.hijack()
  sendEarlyHints(reply, fieldsToPairs(description.early_hints), limits)
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
  const options = { limits, preflightMethods, exposesHeaders, toName }
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

function findDefaultType({ base64, ...others }: Description): string {
  if (base64 !== undefined) return 'application/octet-stream'
  return 'json' in others ? 'application/json' : 'text/plain; charset=utf-8'
}
