import type { FastifyReply, FastifyRequest } from 'fastify'
import { STATUS_CODES } from '../http/node-http.ts'
import { toPairs } from '../http/request/raw-request.ts'
import { toOrigin } from '../http/request/request-head.ts'
import { maskField, maskTarget } from './mask.ts'

export type Fields = readonly (readonly [name: string, value: string])[]

/** A request and its response, with secrets masked. Bodies may be large or secret. */
export interface Exchange extends Omit<Recorded, 'rawHeaders' | 'headers'> {
  requestFields: Fields
  responseFields: Fields
  requestHead: string
  responseHead: string
}

type Recorded = ReturnType<typeof toRecorded>

const maxExchanges = 500
/** Fetch Standard, HTTP-redirect fetch: a browser follows at most 20 redirects. */
const maxChain = 21

/** Of browsers only: other clients can show their exchanges themselves, and recording costs time. */
export function createExchangeLog() {
  const exchanges: Recorded[] = []
  return {
    find: (id: string): Exchange | undefined => {
      const found = exchanges.find((exchange) => exchange.id === id)
      return found && maskSecrets(found)
    },
    /** Oldest first. */
    findChain: (requestId: string): readonly Exchange[] =>
      exchanges
        .filter((exchange) => exchange.requestId === requestId)
        .slice(-maxChain)
        .map(maskSecrets),
    /** Whether to record the exchange. If so, its id is sent. */
    begin: (request: FastifyRequest, reply: FastifyReply): boolean => {
      const { accept, referer, 'sec-fetch-site': site } = request.headers
      const isBrowser = (site ?? referer) !== undefined || accept?.includes('text/html') === true
      if (!isBrowser || /^\/inspector(\/|\?request_id=)/.test(request.url)) return false
      // Scripts can read Server-Timing of their own page, also after a 304.
      reply.header('server-timing', `exchange;desc="${toExchangeId(request)}"`)
      return true
    },
    record: (request: FastifyRequest, reply: FastifyReply, ms: number): void => {
      if (!reply.hasHeader('server-timing')) return
      exchanges.push(toRecorded(request, reply, ms))
      if (exchanges.length > maxExchanges) exchanges.shift()
    },
  }
}

/** RFC 9111 §3: a shared cache would send the exchange id to other clients. */
export function cachePublicly(reply: FastifyReply, seconds: number): void {
  reply.header('cache-control', `public, max-age=${String(seconds)}`)
  reply.removeHeader('server-timing').removeHeader('x-request-id')
}

/** Not the request id if the client chose it: others may guess it. */
function toExchangeId({ id, raw }: FastifyRequest): string {
  return raw.ownId ?? id
}

const randomUuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i

/** Others could guess the id of a client that does not choose it at random. */
export function toRandomId(value: unknown): string | undefined {
  const isRandom = typeof value === 'string' && randomUuid.test(value)
  // A copy: V8 keeps the whole body in memory for a part of it.
  return isRandom ? Buffer.from(value).toString() : undefined
}

function toRecorded(request: FastifyRequest, reply: FastifyReply, ms: number) {
  const { raw, method: effectiveMethod, originalUrl: target, negotiation } = request
  return {
    id: toExchangeId(request),
    requestId: toRandomId(raw.parsedBody?.formHeaders?._request_id) ?? request.id,
    origin: toOrigin(request),
    receivedAt: new Date(Date.now() - ms).toISOString(),
    httpVersion: raw.httpVersion,
    method: raw.receivedMethod ?? effectiveMethod,
    effectiveMethod,
    target,
    rawHeaders: raw.rawHeaders,
    status: reply.statusCode,
    headers: reply.getHeaders(),
    ms,
    negotiation,
  }
}

function maskSecrets({ rawHeaders, headers, ...exchange }: Recorded): Exchange {
  const requestFields = maskFields(toPairs(rawHeaders))
  const responseFields = maskFields(Object.entries(headers))
  const { method, httpVersion, status } = exchange
  const target = maskTarget(exchange.target)
  const requestHead = toHead(`${method} ${target} HTTP/${httpVersion}`, requestFields)
  const statusText = `${String(status)} ${STATUS_CODES[status] ?? ''}`
  const responseHead = toHead(`HTTP/${httpVersion} ${statusText}`, responseFields)
  return { ...exchange, target, requestFields, responseFields, requestHead, responseHead }
}

function toHead(line: string, fields: Fields): string {
  return [line, ...fields.map(([name, value]) => `${name}: ${value}`), ''].join('\n')
}

function maskFields(fields: readonly (readonly [name: string, value: unknown])[]): Fields {
  return fields.flatMap(([name, values]) =>
    [values].flat().map((value) => [name, maskField(name, String(value))] as const),
  )
}
