import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Negotiation } from '../http/negotiation/negotiate.ts'
import { maskField, maskTarget } from './mask.ts'
import { toOrigin } from '../http/request/request-head.ts'

/** One request and its answer, as they were on the wire but for their contents. */
export interface Exchange {
  id: string
  /** `http://host:port`, as the client called us. */
  origin: string
  /** ISO 8601 in UTC. */
  receivedAt: string
  request: {
    httpVersion: string
    /** On the wire. */
    method: string
    /** After an override; the same where there was none. */
    effectiveMethod: string
    target: string
    /** Names and values in turn, as they came. */
    rawHeaders: readonly string[]
  }
  response: {
    status: number
    headers: Readonly<Record<string, string | number | readonly string[] | undefined>>
    /** From the request's head to the end of the answer. */
    ms: number
  }
  /** What was chosen, and from what; undefined where nothing was. */
  negotiation: Negotiation | undefined
}

/** The last exchanges of browsers, with secrets masked. Bodies are not kept: they may be large or secret. */
export interface ExchangeLog {
  find: (id: string) => Exchange | undefined
  /** Whether this request is one to be kept. */
  wants: (request: FastifyRequest) => boolean
  /** `ms` is from the request's head to the end of the answer. */
  record: (request: FastifyRequest, reply: FastifyReply, ms: number) => void
}

const maxExchanges = 500

/** Keeps them in memory, under the id that the answer carries in Server-Timing, and nobody can guess. */
export function createExchangeLog(): ExchangeLog {
  // A ring, and not a Map: to look one up is rare.
  const exchanges: Exchange[] = []
  let next = 0
  return {
    find: (id) => {
      const found = exchanges.find((exchange) => exchange.id === id)
      return found && maskExchange(found)
    },
    // Looking at the wire is not what anybody wants to see there.
    wants: (request) => isOfBrowser(request) && !request.url.startsWith('/inspector/'),
    record: (request, reply, ms) => {
      if (!reply.hasHeader('server-timing')) return
      exchanges[next] = toExchange(request, reply, ms)
      next = (next + 1) % maxExchanges
    },
  }
}

/**
 * Whether a browser asks: a page, or a script of one. Other clients can show their exchanges
 * themselves, and keeping every one takes a fifth of the time of a small answer.
 */
function isOfBrowser({ headers: { accept, referer, 'sec-fetch-site': site } }: FastifyRequest) {
  return site !== undefined || referer !== undefined || accept?.includes('text/html') === true
}

/**
 * Under which id the log has this request, and under which its exchange can be seen: the same, unless
 * the client has chosen the first, which others may guess. A page's own script reads of the answer
 * nothing but Server-Timing, which a 304 renews as well.
 */
export function setRequestIdHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers({
    'x-request-id': request.id,
    'server-timing': `exchange;desc="${toExchangeId(request)}"`,
  })
}

/** RFC 9111 §3: a shared cache gives what it keeps to others, who would have the id as well. */
export function cachePublicly(reply: FastifyReply, seconds: number): void {
  reply.header('cache-control', `public, max-age=${String(seconds)}`)
  reply.removeHeader('server-timing').removeHeader('x-request-id')
}

function toExchangeId({ id, raw }: FastifyRequest): string {
  return raw.ownId ?? id
}

/** When it is shown, which is rare, and not when it is recorded. */
function maskExchange({ request, response, ...rest }: Exchange): Exchange {
  const { rawHeaders } = request
  const headers = Object.entries(response.headers).map(([name, value]) => [
    name,
    [value].flat().map((part) => maskField(name, String(part))),
  ])
  return {
    ...rest,
    request: {
      ...request,
      target: maskTarget(request.target),
      rawHeaders: rawHeaders.map((text, index) =>
        index % 2 === 0 ? text : maskField(rawHeaders[index - 1] ?? '', text),
      ),
    },
    response: { ...response, headers: Object.fromEntries(headers) as Record<string, string[]> },
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
      method: raw.wireMethod ?? request.method,
      effectiveMethod: request.method,
      target: request.originalUrl,
      rawHeaders: raw.rawHeaders,
    },
    response: {
      status: reply.statusCode,
      headers: reply.getHeaders(),
      ms,
    },
    negotiation: request.negotiation,
  }
}
