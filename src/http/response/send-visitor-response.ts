import type { FastifyReply, FastifyRequest } from 'fastify'
import type { OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { mediaType } from '../body/body-reader.ts'
import { recordExtras } from '../recording.ts'
import { isHttp2, isRawRequest } from '../request/target.ts'
import { toVisitorHeaders, type Pair, type VisitorLimits } from '../security/visitor-response.ts'
import { defaultHeaders, removeClientHeaders, withoutClientHeaders } from './default-headers.ts'
import { endsWithHead, isWithoutContent } from './without-content.ts'

export interface VisitorResponse {
  status?: number
  headers?: readonly Pair[]
  body?: string | Buffer | AsyncIterable<string | Buffer>
  size?: number
  trailers?: readonly Pair[]
  timing?: string
  toTimingTrailer?: () => string
  policy?: string
}

interface VisitorOptions {
  limits: VisitorLimits
  preflightMethods: string | undefined
  /** If set, scripts of other sites may read all headers, and not only those of the safelist. */
  exposesHeaders?: boolean
  toName: (name: string) => string
  toReason?: (status: number) => string
}

type VisitorHeaders = ReturnType<typeof toVisitorHeaders>
type Body = NonNullable<VisitorResponse['body']>
type Sent = Record<string, OutgoingHttpHeader | undefined>
type Trailer = readonly [name: string, toValue: () => string]

/** Sends exactly this, with the headers of {@link toVisitorHeaders}. */
export function sendVisitorResponse(
  reply: FastifyReply,
  response: VisitorResponse,
  options: VisitorOptions,
): FastifyReply {
  const { body = '', size } = response
  const { request } = reply
  const isRaw = isRawRequest(request.raw)
  const head = toVisitorHead(reply, response, options)
  const isHeadOnly = request.method === 'HEAD' || endsWithHead(head.status)
  const trailers = isHeadOnly ? [] : toTrailers(request, response, options.limits)
  const content = toContent(body, head.fields)
  if (isRaw && trailers.length === 0 && isWritable(request, head, content))
    return writeResponse(reply, head, content)
  applyHead(reply, head)
  if (content === '') return reply.send()
  if (trailers.length > 0) {
    reply.header('trailer', trailers.map(([name]) => name).join(', '))
    return reply.send(Readable.from(appendTrailers(content, reply, trailers)))
  }
  // Without a serializer, Fastify adds a charset to JSON.
  if (typeof content === 'string') return reply.serializer(String).send(content)
  if (Buffer.isBuffer(content)) return reply.send(content)
  if (size !== undefined) reply.header('content-length', String(size))
  return reply.send(Readable.from(isHeadOnly ? [] : content))
}

function toContent(body: Body, fields: VisitorHeaders): Body {
  // Fastify would add a type to an empty Buffer.
  if (Buffer.isBuffer(body) && body.length === 0) return ''
  if (typeof body !== 'string' || body === '') return body
  // Node encodes headers like a text that is sent with them.
  const isText = Object.values(fields).every((value) => isAscii(String(value)))
  return isText ? body : Buffer.from(body)
}

const maxWrittenLength = 16_384

/** Whether the response has a short body, and neither Fastify nor the recorder needs the headers in `reply`. */
function isWritable(
  { method, raw }: FastifyRequest,
  { status, fields }: Head,
  content: Body,
): content is string | Buffer {
  if (isHttp2(raw) || method === 'HEAD') return false
  if ('set-cookie' in fields || 'server-timing' in fields) return false
  if (content === '') return true
  if (typeof content !== 'string' && !Buffer.isBuffer(content)) return false
  if (content.length > maxWrittenLength || isWithoutContent(status)) return false
  return mediaType.test(String(fields['content-type']))
}

/** The `send` of Fastify copies each field several times, which takes a tenth of the time of a response. */
function writeResponse(reply: FastifyReply, head: Head, content: string | Buffer): FastifyReply {
  const { raw, request } = reply
  const { status, fields, isStored, toName, toReason } = head
  const removed = isStored ? withoutClientHeaders : {}
  // It sets headers. The content of such a response, which is not for a HEAD, stays as it is.
  request.server.finishResponse(reply, content)
  const headers: Sent = { ...reply.getHeaders(), ...removed, ...fields }
  raw.contentBytes = Buffer.byteLength(content)
  if (content !== '' || !endsWithHead(status)) headers['content-length'] = String(raw.contentBytes)
  raw.writeHead(status, toReason?.(status), toNamed(headers, toName))
  // Node writes a text together with the head, and a Buffer after it.
  if (typeof content === 'string') raw.end(content)
  else raw.end(content.toString('latin1'), 'latin1')
  return reply
}

interface Head extends Pick<VisitorOptions, 'toName' | 'toReason'> {
  status: number
  fields: VisitorHeaders
  isStored: boolean
}

function toVisitorHead(
  reply: FastifyReply,
  response: VisitorResponse,
  options: VisitorOptions,
): Head {
  const { status = 200, headers = [], policy, timing } = response
  const { limits, preflightMethods, exposesHeaders = false, toName, toReason } = options
  const { request } = reply
  const { raw } = request
  if (!isRawRequest(raw)) makeRaw(reply, preflightMethods !== undefined)
  const fields = toVisitorHeaders(headers, limits, policy)
  if (isHttp2(raw)) joinValues(fields)
  // It comes before the others: with credentials, the wildcard is the name of a header.
  if (exposesHeaders) fields['access-control-expose-headers'] = Object.keys(fields).join(', ')
  if (preflightMethods !== undefined) addCorsHeaders(fields, request, preflightMethods)
  const caching = fields['cache-control'] ?? reply.getHeader('cache-control')
  const isStored =
    isStorable(request.method, String(caching)) || Object.entries(fields).some(allowsCaching)
  if (timing !== undefined) {
    const own = isStored ? undefined : reply.getHeader('server-timing')
    fields['server-timing'] = [own ?? [], timing].flat().join(', ')
  }
  return { status, fields, isStored, toName, ...(toReason && { toReason }) }
}

export function applyVisitorHead(
  ...[reply, response, options]: Parameters<typeof toVisitorHead>
): void {
  applyHead(reply, toVisitorHead(reply, response, options))
}

function applyHead(reply: FastifyReply, head: Head): void {
  const { status, fields, isStored } = head
  if (!isHttp2(reply.request.raw)) rewriteHead(reply.raw, head)
  if (isStored) removeClientHeaders(reply)
  reply.code(status).headers(fields)
}

/** RFC 9111 §4.2.2: without Cache-Control, caches choose a lifetime themselves. */
const isStorable = (method: string, caching: string) =>
  /^(GET|HEAD)$/.test(method) && !/no-store|private/i.test(caching)

/** RFC 9213: `CDN-Cache-Control` and others are for some caches. */
function allowsCaching([name, value]: readonly [string, VisitorHeaders[string]]): boolean {
  if (name.endsWith('cache-control')) return /public|max-?age/i.test(String(value))
  return name === 'expires' || name === 'last-modified'
}

/** From here on, the response of another route is sent like that of a raw one. */
function makeRaw(reply: FastifyReply, hasOpenCors: boolean): void {
  const { target } = reply.request.raw
  if (target) target.isRaw = true
  const ofCors = ['vary', 'access-control-expose-headers', ...Object.keys(defaultHeaders)]
  const names = hasOpenCors ? ofCors : ['cache-control']
  for (const name of names) reply.removeHeader(name)
}

export function keepNames(given: readonly Pair[], toOther: (name: string) => string) {
  const names = new Map(given.map(([name]) => [name.toLowerCase(), name]))
  return (name: string) => names.get(name) ?? toOther(name)
}

function rewriteHead(response: ServerResponse, { toName, toReason }: Head): void {
  const writeHead = response.writeHead.bind(response)
  const rewrite = (status: number, headers: OutgoingHttpHeaders = {}) =>
    writeHead(status, toReason?.(status), toNamed(headers, toName))
  // Fastify sets those of a stream one by one.
  const setHeader = response.setHeader.bind(response)
  const set: typeof setHeader = (name, value) => setHeader(toName(name), value)
  Object.assign(response, { writeHead: rewrite, setHeader: set })
}

function toNamed(headers: Sent, toName: Head['toName']): OutgoingHttpHeader[] {
  const named: OutgoingHttpHeader[] = []
  for (const name of Object.keys(headers)) {
    const value = headers[name]
    if (value !== undefined) named.push(toName(name), value)
  }
  return named
}

/** Over HTTP/2, Node throws for several values of some headers. To join them is the same (RFC 9110 §5.3). */
export function joinValues(headers: VisitorHeaders): void {
  for (const [name, value] of Object.entries(headers)) {
    if (name !== 'set-cookie') headers[name] = [value].flat().join(', ')
  }
}

export const isAscii = (text: string) => /^[\t -~]*$/.test(text)

/** Every site may read the response, credentials included. */
function addCorsHeaders(
  sent: VisitorHeaders,
  { method, headers }: FastifyRequest,
  preflightMethods: string,
): void {
  sent['access-control-allow-origin'] = headers.origin ?? '*'
  sent['access-control-allow-credentials'] = 'true'
  if (method !== 'OPTIONS') return
  sent['access-control-allow-methods'] = preflightMethods
  sent['access-control-max-age'] = '3600'
  const asked = headers['access-control-request-headers']
  if (asked !== undefined) sent['access-control-allow-headers'] = asked
}

/** RFC 9110 §6.5.1: those for framing, routing, authentication and the body. */
export const forbiddenTrailers =
  /^(authorization|cache-control|content-(encoding|length|range|type)|host|max-forwards|set-cookie|te|trailer|transfer-encoding)$/i

/** None over HTTP/1.0: only chunks can have trailers (RFC 9112 §7.1.2). */
function toTrailers(
  { raw }: FastifyRequest,
  { trailers = [], toTimingTrailer }: VisitorResponse,
  limits: VisitorLimits,
): readonly Trailer[] {
  if (raw.httpVersion === '1.0' || (trailers.length === 0 && !toTimingTrailer)) return []
  const limited = toVisitorHeaders(trailers, limits)
  const names = new Set(trailers.map(([name]) => name.toLowerCase()))
  const ofVisitor = [...names].flatMap((name): Trailer[] => {
    const value = Object.hasOwn(limited, name) ? [limited[name]].flat().at(-1) : undefined
    return value === undefined ? [] : [[name, () => value]]
  })
  return toTimingTrailer ? [...ofVisitor, ['server-timing', toTimingTrailer]] : ofVisitor
}

/** The trailers of Fastify are not used, since it writes their names without commas. */
async function* appendTrailers(
  body: Body,
  { raw, request }: FastifyReply,
  trailers: readonly Trailer[],
) {
  if (typeof body === 'string' || Buffer.isBuffer(body)) yield body
  else yield* body
  const fields = trailers.map(([name, toValue]) => [name, toValue()] as const)
  // Over HTTP/2, Node takes no pairs.
  raw.addTrailers(Object.fromEntries(fields))
  recordExtras(request.raw, { trailers: fields })
}
