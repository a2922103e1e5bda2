import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Negotiation } from '../http/negotiation/negotiate.ts'
import { maskField, maskTarget } from './mask.ts'
import { toOrigin } from '../http/request/request-head.ts'

/** A request and its response, without their bodies. */
export interface Exchange {
  id: string
  /** `http://host:port`, as the client sent it. */
  origin: string
  /** ISO 8601 in UTC. */
  receivedAt: string
  request: {
    httpVersion: string
    /** Of the request line. */
    method: string
    /** After a method override. */
    effectiveMethod: string
    target: string
    /** Names and values alternate, as received. */
    rawHeaders: readonly string[]
  }
  response: {
    status: number
    headers: Readonly<Record<string, string | number | readonly string[] | undefined>>
    /** From the request headers to the end of the response. */
    ms: number
  }
  negotiation: Negotiation | undefined
}

/** The latest exchanges of browsers. Bodies are not stored: they may be large or secret. */
export interface ExchangeLog {
  /** With secrets masked. */
  find: (id: string) => Exchange | undefined
  shouldRecord: (request: FastifyRequest) => boolean
  record: (request: FastifyRequest, reply: FastifyReply, ms: number) => void
}

const maxExchanges = 500

/** Exchanges are stored in memory under the unguessable id of their Server-Timing header. */
export function createExchangeLog(): ExchangeLog {
  const exchanges: Exchange[] = []
  let next = 0
  return {
    find: (id) => {
      const found = exchanges.find((exchange) => exchange.id === id)
      return found && maskExchange(found)
    },
    shouldRecord: (request) => isFromBrowser(request) && !request.url.startsWith('/inspector/'),
    record: (request, reply, ms) => {
      if (!reply.hasHeader('server-timing')) return
      exchanges[next] = toExchange(request, reply, ms)
      next = (next + 1) % maxExchanges
    },
  }
}

/** Other clients can show their exchanges themselves, and recording costs time. */
function isFromBrowser({ headers: { accept, referer, 'sec-fetch-site': site } }: FastifyRequest) {
  return site !== undefined || referer !== undefined || accept?.includes('text/html') === true
}

/**
 * The ids differ if the client chose the request id, which others may guess. The exchange id is in
 * Server-Timing because scripts can read that header of their own page, also after a 304.
 */
export function setRequestIdHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers({
    'x-request-id': request.id,
    'server-timing': `exchange;desc="${toExchangeId(request)}"`,
  })
}

/** RFC 9111 §3: a shared cache would send the exchange id to other clients. */
export function cachePublicly(reply: FastifyReply, seconds: number): void {
  reply.header('cache-control', `public, max-age=${String(seconds)}`)
  reply.removeHeader('server-timing').removeHeader('x-request-id')
}

function toExchangeId({ id, raw }: FastifyRequest): string {
  return raw.ownId ?? id
}

function maskExchange({ request, response, ...rest }: Exchange): Exchange {
  const { rawHeaders } = request
  const headers = Object.entries(response.headers).map(
    ([name, value]) => [name, [value].flat().map((part) => maskField(name, String(part)))] as const,
  )
  return {
    ...rest,
    request: {
      ...request,
      target: maskTarget(request.target),
      rawHeaders: rawHeaders.map((text, index) =>
        index % 2 === 0 ? text : maskField(rawHeaders[index - 1] ?? '', text),
      ),
    },
    response: { ...response, headers: Object.fromEntries(headers) },
  }
}

function toExchange(request: FastifyRequest, reply: FastifyReply, ms: number): Exchange {
  const { raw } = request
  return {
    id: toExchangeId(request),
    origin: toOrigin(request),
    receivedAt: new Date(Date.now() - ms).toISOString(),
    request: {
      httpVersion: raw.httpVersion,
      method: raw.receivedMethod ?? request.method,
      effectiveMethod: request.method,
      target: request.originalUrl,
      rawHeaders: raw.rawHeaders,
    },
    response: { status: reply.statusCode, headers: reply.getHeaders(), ms },
    negotiation: request.negotiation,
  }
}
