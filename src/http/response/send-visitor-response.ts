import type { FastifyReply, FastifyRequest } from 'fastify'
import type { OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { recordExtras } from '../recording.ts'
import { isHttp2, isRawRequest } from '../request/target.ts'
import { toVisitorHeaders, type Pair, type VisitorLimits } from '../security/visitor-response.ts'
import { defaultHeaders, removeClientHeaders } from './default-headers.ts'

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
type Trailer = readonly [name: string, toValue: () => string]

/** Sends exactly this, with the headers of {@link toVisitorHeaders}. */
export function sendVisitorResponse(
  reply: FastifyReply,
  response: VisitorResponse,
  options: VisitorOptions,
): FastifyReply {
  const sent = applyVisitorHead(reply, response, options)
  const { body = '', size } = response
  // Fastify would add a type to an empty Buffer.
  if (body === '' || (Buffer.isBuffer(body) && body.length === 0)) return reply.send()
  const isBare =
    reply.request.method === 'HEAD' || reply.statusCode === 204 || reply.statusCode === 304
  const trailers = isBare ? [] : toTrailers(reply.request, response, options.limits)
  if (trailers.length > 0) {
    reply.header('trailer', trailers.map(([name]) => name).join(', '))
    return reply.send(Readable.from(appendTrailers(body, reply, trailers)))
  }
  if (typeof body === 'string') {
    // A buffer would take another write, but Node encodes headers like a text that is sent with them.
    // Without a serializer, Fastify adds a charset to JSON.
    const isText = Object.values(sent).every((value) => isAscii(String(value)))
    return isText ? reply.serializer(String).send(body) : reply.send(Buffer.from(body))
  }
  if (Buffer.isBuffer(body)) return reply.send(body)
  if (size !== undefined) reply.header('content-length', String(size))
  return reply.send(Readable.from(isBare ? [] : body))
}

export function applyVisitorHead(
  reply: FastifyReply,
  response: VisitorResponse,
  options: VisitorOptions,
): VisitorHeaders {
  const { status = 200, headers = [], policy, timing } = response
  const { limits, preflightMethods, exposesHeaders = false } = options
  const { request } = reply
  const { raw } = request
  if (!isRawRequest(raw)) makeRaw(reply, preflightMethods !== undefined)
  const sent = toVisitorHeaders(headers, limits, policy)
  if (isHttp2(raw)) joinValues(sent)
  else rewriteHead(reply.raw, options)
  // It comes before the others: with credentials, the wildcard is the name of a header.
  if (exposesHeaders) sent['access-control-expose-headers'] = Object.keys(sent).join(', ')
  if (preflightMethods !== undefined) addCorsHeaders(sent, request, preflightMethods)
  const caching = sent['cache-control'] ?? reply.getHeader('cache-control')
  const isStored = isStorable(request.method, String(caching))
  if (isStored || Object.entries(sent).some(allowsCaching)) removeClientHeaders(reply)
  reply.code(status).headers(sent)
  if (timing !== undefined) {
    const timings = [reply.getHeader('server-timing') ?? [], timing].flat()
    reply.header('server-timing', timings.join(', '))
  }
  return sent
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

function rewriteHead(response: ServerResponse, { toName, toReason }: VisitorOptions): void {
  const writeHead = response.writeHead.bind(response)
  const rewrite = (status: number, headers: OutgoingHttpHeaders = {}) => {
    const renamed: OutgoingHttpHeader[] = []
    for (const name of Object.keys(headers)) renamed.push(toName(name), headers[name] ?? '')
    return toReason ? writeHead(status, toReason(status), renamed) : writeHead(status, renamed)
  }
  // Fastify sets those of a stream one by one.
  const setHeader = response.setHeader.bind(response)
  const set: typeof setHeader = (name, value) => setHeader(toName(name), value)
  Object.assign(response, { writeHead: rewrite, setHeader: set })
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
  if (raw.httpVersion === '1.0') return []
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
  body: NonNullable<VisitorResponse['body']>,
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
